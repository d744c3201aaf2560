import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectedFiles, selectionFrom } from './selection.ts';

const FILES = ['src/a/x.test.ts', 'src/ab/y.test.ts', 'conformance/z.test.ts'];
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'switchyard-selection-'));
  await Bun.write(join(root, FILES[0]!), `describe('sums', () => { test('are right', () => {}); });`);
  await Bun.write(join(root, FILES[1]!), `test('are right', () => {});`);
  await Bun.write(join(root, FILES[2]!), 'test(["made", "of", material].join(" "), () => {});');
});
afterAll(() => rm(root, { recursive: true, force: true }));

const selected = (...args: readonly string[]) => [...selectedFiles(root, FILES, selectionFrom(args))];

test('without arguments all files are selected', () => {
  expect(selected()).toEqual(FILES);
});

test('a path selects the files that begin with it', () => {
  expect(selected('./src/a')).toEqual([FILES[0]!, FILES[1]!]);
  expect(selected('src/a/')).toEqual([FILES[0]!]);
  expect(selected('src/a/x.test.ts', 'conformance')).toEqual([FILES[0]!, FILES[2]!]);
});

test('folders of a path may be left out', () => {
  expect(selected('src/x')).toEqual([FILES[0]!]);
  expect(selected('ab/')).toEqual([FILES[1]!]);
  expect(selected('src/a/x', 'y.test.ts')).toEqual([FILES[0]!, FILES[1]!]);
  // Not within a name.
  expect(() => selected('src/b')).toThrow('no test file matches src/b');
});

test('a name selects the files that contain it', () => {
  expect(selected('-t', 'are right')).toEqual([FILES[0]!, FILES[1]!]);
  expect(selected('-t', 'sums > are right')).toEqual([FILES[0]!]);
});

test('a name that no file contains may be in any file', () => {
  expect(selected('-t', 'made of ivory')).toEqual(FILES);
});

test('an unknown argument is refused with a sentence', () => {
  expect(() => selected('--fast')).toThrow('unknown option --fast');
  expect(() => selected('-t')).toThrow('followed by the name');
  expect(() => selected('src/nowhere')).toThrow('no test file matches src/nowhere');
});
