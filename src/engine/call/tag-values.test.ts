import { expect, test } from 'bun:test';
import { TagValues } from './tag-values.ts';

const DAY_MS = 86_400_000;

test('a bounded number of values of a key are summed separately per day, and the rest together', () => {
  const values = new TagValues({ perKey: 2, inAll: 100 });
  const summed = (tag: string, accountId = 'a', day = 1) => values.summed(accountId, [tag], day * DAY_MS)[0];
  expect(['id=1', 'id=2', 'id=3', 'id=1'].map((tag) => summed(tag))).toEqual(['id=1', 'id=2', 'id=(other)', 'id=1']);
  expect([summed('team=3'), summed('id=3', 'b')]).toEqual(['team=3', 'id=3']);
  expect([summed('id=3', 'a', 2), summed('id=1', 'a', 2), summed('id=2', 'a', 2)]).toEqual([
    'id=3',
    'id=1',
    'id=(other)',
  ]);
});

test('the number of values in memory is bounded, however many keys there are', () => {
  const values = new TagValues({ perKey: 5, inAll: 20 });
  for (let index = 0; index < 1_000; index++) {
    expect(values.summed(`account-${index % 50}`, [`key-${index % 7}=${index}`], 0)).toHaveLength(1);
    expect(values.size).toBeLessThanOrEqual(20);
  }
});
