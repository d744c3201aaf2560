import { expect, test } from 'bun:test';
import { workerCount } from './worker-count.ts';

test.each([
  [undefined, 8, 1],
  ['', 8, 1],
  ['1', 8, 1],
  ['12', 2, 12],
  ['auto', 1, 1],
  ['auto', 2, 1],
  ['auto', 8, 7],
  ['auto', 1_000, 128],
])('%p on %d cores is %d', (SWITCHYARD_WORKERS, cores, count) => {
  expect(workerCount({ SWITCHYARD_WORKERS }, cores)).toBe(count);
});

test.each(['0', '-1', '129', '1.5', 'two', '1e1', ' 2', '9999'])('%p is refused', (SWITCHYARD_WORKERS) => {
  expect(() => workerCount({ SWITCHYARD_WORKERS })).toThrow('must be "auto" or a number from 1 to 128');
});
