import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyDiffOf } from './apply-diff.ts';

const PROJECT = path.join(import.meta.dir, '..', '..');
/** What the generators and the tests of providers read. */
const COPIED = ['README.md', 'package.json', 'tsconfig.json', 'conformance', 'dashboard', 'docs', 'src', 'tools'];
const TIMEOUT_MS = 240_000;

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'switchyard-contributing-'));
  for (const name of COPIED) await cp(path.join(PROJECT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(PROJECT, 'node_modules'), path.join(copy, 'node_modules'));
}, TIMEOUT_MS);

afterAll(() => rm(copy, { recursive: true, force: true }));

test(
  'docs/adding-a-provider.md describes a change that the tests accept',
  async () => {
    const page = await Bun.file(path.join(copy, 'docs', 'adding-a-provider.md')).text();
    expect(await applyDiffOf(page, copy)).toContain('src/providers/index.ts');
    const generated = await run(['tools/docs/main.ts']);
    expect(generated).toContain('wrote docs/providers.md');
    expect(generated).toContain('wrote README.md');
    const tests = ['src/providers', 'tools/docs/pages.test.ts', 'conformance/strict/quirks.test.ts'];
    expect(await run(['test', ...tests.map((name) => `./${name}`), '--timeout=240000'])).toContain(' 0 fail');
  },
  TIMEOUT_MS,
);

/** Resolves to what Bun has printed, also if it failed. */
async function run(args: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  const [standard, error] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return `${standard}${error}`;
}
