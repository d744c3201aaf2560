import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SlidingWindow } from './sliding-window.ts';

test('a window counts all of the last nine tenths of the window and nothing older than the window', () => {
  const results = fc.array(fc.record({ afterMs: fc.nat({ max: 400 }), isFailure: fc.boolean() }), { maxLength: 200 });
  fc.assert(
    fc.property(results, fc.nat({ max: 2_000 }), (chosen, pauseMs) => {
      const window = new SlidingWindow(1_000);
      const seen: { atMs: number; isFailure: boolean }[] = [];
      let nowMs = 0;
      for (const { afterMs, isFailure } of chosen) {
        nowMs += afterMs;
        if (isFailure) window.countFailure(nowMs);
        else window.countSuccess(nowMs);
        seen.push({ atMs: nowMs, isFailure });
      }
      nowMs += pauseMs;
      for (const isFailure of [true, false]) {
        const counted = isFailure ? window.failuresAt(nowMs) : window.successesAt(nowMs);
        const ages = seen.filter((result) => result.isFailure === isFailure).map(({ atMs }) => nowMs - atMs);
        expect(counted).toBeGreaterThanOrEqual(ages.filter((ageMs) => ageMs <= 900).length);
        expect(counted).toBeLessThanOrEqual(ages.filter((ageMs) => ageMs < 1_000).length);
      }
    }),
  );
});

test('a clock that goes back counts as the latest time', () => {
  const window = new SlidingWindow(1_000);
  window.countSuccess(5_000);
  window.countFailure(4_000);
  expect(window.failuresAt(5_000)).toBe(1);
  expect(window.failuresAt(6_000)).toBe(0);
});

test('a cleared window counts from zero', () => {
  const window = new SlidingWindow(1_000);
  window.countSuccess(100);
  window.countFailure(200);
  window.clear();
  window.countFailure(300);
  expect([window.successesAt(300), window.failuresAt(300)]).toEqual([0, 1]);
  expect([window.successesAt(1_250), window.failuresAt(1_250)]).toEqual([0, 1]);
});
