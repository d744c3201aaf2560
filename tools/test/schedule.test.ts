import { expect, test } from 'bun:test';
import { batchesOf } from './schedule.ts';
import type { Suite } from './suites.ts';

const suite = (name: string, files: readonly string[]): Suite => ({ name, level: 'unit', files, needs: [] });

test('a long suite is divided into batches of about equal time, and the longest batch is first', () => {
  const files = Array.from({ length: 9 }, (_, index) => `long/${index}.test.ts`);
  const timings = Object.fromEntries(files.map((file, index) => [file, 40_000 + index]));
  const batches = batchesOf([suite('short', ['short/a.test.ts']), suite('long', files)], timings);
  expect(batches.map(({ name, files }) => `${name}: ${files.length}`)).toEqual([
    'long (1 of 4): 3',
    'long (2 of 4): 2',
    'long (3 of 4): 2',
    'long (4 of 4): 2',
    'short: 1',
  ]);
  expect(batches.flatMap((batch) => batch.files).sort()).toEqual([...files, 'short/a.test.ts']);
});

test('the division is the same each time', () => {
  const files = Array.from({ length: 80 }, (_, index) => `many/${index}.test.ts`);
  expect(batchesOf([suite('many', files)], {})).toEqual(batchesOf([suite('many', files)], {}));
});
