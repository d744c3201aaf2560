import { expect, test } from 'bun:test';
import { MinuteCounts, MOST_SENDERS } from './minute-counts.ts';

test('each sender has a minute of its own, starting with its first request', () => {
  let nowMs = 5_000;
  const counts = new MinuteCounts({ monotonicMs: () => nowMs });
  expect(counts.add('a')).toEqual({ count: 1, endsInMs: 60_000 });
  nowMs += 59_000;
  expect(counts.add('a')).toEqual({ count: 2, endsInMs: 1_000 });
  expect(counts.add('b')).toEqual({ count: 1, endsInMs: 60_000 });
  nowMs += 1_000;
  expect(counts.add('a')).toEqual({ count: 1, endsInMs: 60_000 });
  expect(counts.add('b')).toEqual({ count: 2, endsInMs: 59_000 });
});

test('the sender with the oldest minute is evicted when there are too many', () => {
  const counts = new MinuteCounts({ monotonicMs: () => 0 });
  for (let index = 0; index <= MOST_SENDERS; index++) counts.add(`sender ${index}`);
  expect(counts.add('sender 1').count).toBe(2);
  expect(counts.add('sender 0').count).toBe(1);
});
