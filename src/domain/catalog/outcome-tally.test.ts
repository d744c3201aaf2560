import { expect, test } from 'bun:test';
import { OutcomeTally } from './outcome-tally.ts';

type Line = readonly [accountId: string, succeeded: number, failed: number];

test.each<[name: string, lines: readonly Line[], succeeded: number, failed: number]>([
  ['all failures of a single account', [['a', 3, 7]], 3, 7],
  [
    'all failures of a single account, reported in parts',
    [
      ['a', 1, 3],
      ['a', 2, 4],
    ],
    3,
    7,
  ],
  [
    'no failures of one account if another has none',
    [
      ['poison', 0, 500],
      ['b', 10, 0],
    ],
    10,
    0,
  ],
  [
    'no more failures of the worst account than of all others',
    [
      ['poison', 0, 500],
      ['b', 10, 2],
      ['c', 5, 1],
    ],
    15,
    6,
  ],
  [
    'all failures that every account shares',
    [
      ['a', 1, 4],
      ['b', 1, 5],
      ['c', 0, 6],
    ],
    2,
    15,
  ],
])('a tally counts %s', (_, lines, succeeded, failed) => {
  for (const order of [lines, lines.toReversed()]) {
    const tally = new OutcomeTally();
    for (const line of order) tally.add('m', ...line);
    expect(tally.counts()).toEqual([{ modelId: 'm', succeeded, failed }]);
  }
});
