import { expect, test } from 'bun:test';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyDiffOf } from './apply-diff.ts';

const PROJECT = path.join(import.meta.dir, '..', '..');
/** The files that the generators and the guides' tests read. */
/** The pages at the root and `bench` are there because other pages link to them. */
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const FOLDERS = ['bench', 'conformance', 'dashboard', 'deploy', 'docs', 'src', 'tools'];
const COPIED = [...PAGES, 'package.json', 'tsconfig.json', ...FOLDERS];
const TIMEOUT_MS = 600_000;

const GUIDES: readonly {
  readonly page: string;
  readonly generated: readonly string[];
  readonly tests: readonly string[];
}[] = [
  {
    page: 'docs/adding-a-provider.md',
    generated: ['README.md', 'docs/configuration.schema.json', 'docs/providers.md'],
    tests: ['src/providers', 'tools/docs/pages.test.ts', 'conformance/strict/quirks.test.ts'],
  },
  {
    page: 'docs/adding-a-management-route.md',
    generated: ['dashboard/api/schema.ts', 'docs/management.md'],
    tests: [
      ...['conformance/management/access.test.ts', 'conformance/management/conventions.test.ts'],
      ...['dashboard/build/bundle.test.ts', 'dashboard/text', 'tools/docs/pages.test.ts'],
    ],
  },
];

test.each(GUIDES)(
  '$page describes a change that the tests accept',
  async ({ page, generated, tests }) => {
    const copy = await mkdtemp(path.join(tmpdir(), 'switchyard-contributing-'));
    try {
      // Takes a third of the CPU of copying in this process.
      await Bun.$`cp -R ${COPIED.map((name) => path.join(PROJECT, name))} ${copy}`.quiet();
      await symlink(path.join(PROJECT, 'node_modules'), path.join(copy, 'node_modules'));
      await applyDiffOf(await Bun.file(path.join(copy, page)).text(), copy);
      const wrote = await run(copy, ['tools/docs/main.ts']);
      expect(wrote.trim().split('\n')).toEqual(generated.map((name) => `wrote ${name}`));
      expect(await run(copy, ['test', ...tests.map((name) => `./${name}`), '--timeout=240000'])).toContain(' 0 fail');
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);

/** Resolves to Bun's output, whether or not it succeeded. */
async function run(folder: string, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [standard, error] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return `${standard}${error}`;
}
