import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bundle, decodeBundle, encodeBundle } from '../shared/bundle.ts';
import { packed } from '../shared/packed.ts';
import { BuiltBundle, ShippedBundle } from './bundle-source.ts';

let root: string;
let nowMs = 0;
let logged: string[] = [];

/** A build script that records its run and its environment, and makes a bundle from the content of `dashboard/main.tsx`. */
const BUILD = `
import { appendFileSync, readFileSync } from 'node:fs';
import { encodeBundle } from ${JSON.stringify(join(import.meta.dir, '../shared/bundle.ts'))};
import { packed } from ${JSON.stringify(join(import.meta.dir, '../shared/packed.ts'))};
appendFileSync('runs', JSON.stringify(Object.keys(process.env)) + '\\n');
const source = readFileSync('dashboard/main.tsx', 'utf8');
if (source === 'wrong') { console.error('dashboard/main.tsx:1:1 it is wrong'); process.exit(1); }
if (source === 'cut') { process.stdout.write('half of a bundle'); process.exit(0); }
const first = { theme: 't', style: 's', script: source, imports: [], icon: 'i' };
const assets = new Map([[source, { contentType: 'text/javascript', content: packed(source) }]]);
await Bun.write(Bun.stdout, encodeBundle({ first, assets }));
`;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'switchyard-bundle-'));
  nowMs = 0;
  logged = [];
  await mkdir(join(root, 'dashboard/build'), { recursive: true });
  await writeFile(join(root, 'dashboard/build/main.ts'), BUILD);
  await says('one.js');
});

afterEach(() => rm(root, { recursive: true, force: true }));

const says = (source: string) => writeFile(join(root, 'dashboard/main.tsx'), source);
const folder = () => join(root, 'data/dashboard');
const runs = async () =>
  (await Bun.file(join(root, 'runs')).exists()) ? (await Bun.file(join(root, 'runs')).text()).trim().split('\n') : [];

function source(watch = false): BuiltBundle {
  const log = (_: object, message: string) => void logged.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  return new BuiltBundle({ root, folder: folder(), watch, logger, nowMs: () => nowMs });
}

const shown = (made: Bundle | { readonly problem: string }) => ('problem' in made ? made.problem : made.first.script);

describe('a bundle that is built', () => {
  test('is built once for all requests, in a process without the environment', async () => {
    const built = source();
    const asked = await Promise.all(Array.from({ length: 20 }, () => built.current()));
    expect(new Set(asked.map(shown))).toEqual(new Set(['one.js']));
    await says('two.js');
    expect(shown(await built.current())).toBe('one.js');
    const [environment = '[]', ...more] = await runs();
    expect([more, JSON.parse(environment).filter((name: string) => !name.startsWith('BUN_'))]).toEqual([[], []]);
  });

  test('is read from disk by a later start, until a source or package changes', async () => {
    await source().current();
    expect(shown(await source().current())).toBe('one.js');
    expect(await runs()).toHaveLength(1);
    await writeFile(join(root, 'package-lock.json'), '{}');
    await source().current();
    expect(await runs()).toHaveLength(2);
    await says('two.js');
    expect(shown(await source().current())).toBe('two.js');
    expect(await runs()).toHaveLength(3);
    await writeFile(join(root, 'dashboard/main.test.tsx'), 'no source');
    await source().current();
    expect(await runs()).toHaveLength(3);
  });

  test('is rebuilt if the file on disk is damaged, or nothing can be written', async () => {
    await source().current();
    const [name = ''] = await readdir(folder());
    const file = join(folder(), name);
    const bytes = await Bun.file(file).bytes();
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    expect(shown(await source().current())).toBe('one.js');
    expect(await runs()).toHaveLength(2);
    await rm(folder(), { recursive: true });
    await writeFile(folder(), 'no folder');
    expect(shown(await source().current())).toBe('one.js');
    expect(logged.at(-1)).toContain('could not be stored');
  });

  test('leaves no old files on disk, and none alone that another gateway may be writing', async () => {
    await mkdir(folder(), { recursive: true });
    for (const name of ['old.bundle', 'crashed.tmp', 'fresh.tmp']) await writeFile(join(folder(), name), 'x');
    for (const name of ['old.bundle', 'crashed.tmp']) await utimes(join(folder(), name), 1, 1);
    await source().current();
    const names = await readdir(folder());
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual(['fresh.tmp']);
    expect(names).toHaveLength(2);
  });

  test.each([
    ['wrong', 'dashboard/main.tsx:1:1 it is wrong'],
    ['cut', 'the build did not write a complete bundle'],
  ])('that fails (%s) says why, and is tried again after a pause', async (text, problem) => {
    await says(text);
    const built = source();
    expect(shown(await built.current())).toBe(problem);
    await says('one.js');
    expect(shown(await built.current())).toBe(problem);
    expect([(await runs()).length, logged]).toEqual([1, ['the dashboard could not be built']]);
    nowMs = 5_000;
    expect(shown(await built.current())).toBe('one.js');
  });

  test('follows its sources where they are watched, and keeps nothing', async () => {
    const built = source(true);
    expect(shown(await built.current())).toBe('one.js');
    expect(await built.current()).toBe(await built.current());
    await says('wrong');
    expect(shown(await built.current())).toContain('it is wrong');
    await says('two.js');
    expect(shown(await built.current())).toBe('two.js');
    expect(await runs()).toHaveLength(3);
    expect(await Bun.file(join(folder(), 'x')).exists()).toBe(false);
  });
});

test('the bundle of the executable is read once, and reported if damaged', async () => {
  const first = { theme: 't', style: 's', script: 'one.js', imports: ['a.js'], icon: 'i' };
  const assets = new Map([['one.js', { contentType: 'text/javascript', content: packed('one') }]]);
  const file = encodeBundle({ first, assets });
  expect(decodeBundle(file)).toEqual({ first, assets });
  const shipped = new ShippedBundle(new Blob([new Uint8Array(file)]));
  expect(await shipped.current()).toBe(await shipped.current());
  expect(shown(await new ShippedBundle(new Blob([new Uint8Array(file.slice(1))])).current())).toContain('damaged');
  expect(decodeBundle(new Uint8Array())).toBeNull();
});

test('the bundle built at installation is used while its sources are unchanged', async () => {
  await source().current();
  const installed = join(root, 'node_modules/.cache/switchyard-dashboard');
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  await rename(folder(), installed);
  expect(shown(await source().current())).toBe('one.js');
  expect(await runs()).toHaveLength(1);
  await says('two.js');
  expect(shown(await source().current())).toBe('two.js');
});
