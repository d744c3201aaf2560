import { expect, test } from 'bun:test';
import { mapInSlices, SLICE_MS, Slices } from './slices.ts';

/** Returns a clock that advances only with the work, and counts the pauses. */
function countingTurns() {
  const turns = {
    atMs: 0,
    pauses: 0,
    nowMs: () => turns.atMs,
    pause: async () => {
      turns.pauses += 1;
    },
  };
  return turns;
}

test('work that takes no time is not interrupted', async () => {
  const turns = countingTurns();
  expect(await mapInSlices([1, 2, 3], new Slices(turns), (item) => item * 2)).toEqual([2, 4, 6]);
  expect(turns.pauses).toBe(0);
});

test('a slice exceeds the limit by at most one step', async () => {
  const turns = countingTurns();
  const items = Array.from({ length: 20 }, (_, index) => index);
  const mapped = await mapInSlices(items, new Slices(turns), (item) => {
    turns.atMs += 2;
    return item;
  });
  expect(mapped).toEqual(items);
  // Three steps of 2 ms exceed the limit of 5 ms.
  expect(turns.pauses).toBe(Math.floor(20 / Math.ceil(SLICE_MS / 2)));
});
