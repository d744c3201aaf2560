import { expect, test } from 'bun:test';
import { OutcomeTally } from './outcome-tally.ts';

type Line = readonly [accountId: string, succeeded: number, failed: number];

test.each<[name: string, lines: readonly Line[], succeeded: number, failed: number]>([
  ['of one account all count', [['a', 3, 7]], 3, 7],
  [
    'of one account, told in parts, too',
    [
      ['a', 1, 3],
      ['a', 2, 4],
    ],
    3,
    7,
  ],
  [
    'of one that fails beside one that does not none',
    [
      ['poison', 0, 500],
      ['b', 10, 0],
    ],
    10,
    0,
  ],
  [
    'of one that fails most no more than of all others',
    [
      ['poison', 0, 500],
      ['b', 10, 2],
      ['c', 5, 1],
    ],
    15,
    6,
  ],
  [
    'of a failure that all share all',
    [
      ['a', 1, 4],
      ['b', 1, 5],
      ['c', 0, 6],
    ],
    2,
    15,
  ],
])('%s', (_, lines, succeeded, failed) => {
  for (const order of [lines, lines.toReversed()]) {
    const tally = new OutcomeTally();
    for (const line of order) tally.add('m', ...line);
    expect(tally.counts()).toEqual([{ modelId: 'm', succeeded, failed }]);
  }
});
