import { expect, test } from 'bun:test';
import { type ChartUnit, linearTicks, logTicks } from './axis.ts';

test.each<[number, ChartUnit, number[]]>([
  [0, 'count', [0, 1]],
  [3, 'count', [0, 1, 2, 3]],
  [7, 'count', [0, 2, 4, 6, 8]],
  [1_234, 'count', [0, 500, 1_000, 1_500]],
  [0.37, 'usd', [0, 0.1, 0.2, 0.3, 0.4]],
  [0.0031, 'usd', [0, 0.001, 0.002, 0.003, 0.004]],
  [0.25, 'share', [0, 0.05, 0.1, 0.15, 0.2, 0.25]],
  [830, 'ms', [0, 200, 400, 600, 800, 1_000]],
  [47_000, 'ms', [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
  [200_000, 'ms', [0, 60_000, 120_000, 180_000, 240_000]],
])('the axis for %d (%s) has round ticks', (most, unit, ticks) => {
  expect(linearTicks(most, unit)).toEqual(ticks);
});

test('an axis reaches its largest value in at most five steps', () => {
  for (const unit of ['count', 'usd', 'ms', 'share'] as const) {
    for (let most = 0.0007; most < 1e9; most *= 1.37) {
      const ticks = linearTicks(most, unit);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.length).toBeGreaterThan(1);
    }
  }
});

test('one video beside short requests makes the axis of durations logarithmic', () => {
  expect(logTicks([400, 900, 1_200])).toBeNull();
  expect(logTicks([])).toBeNull();
  expect(logTicks([800, 400_000])).toEqual([300, 1_000, 3_000, 10_000, 30_000, 120_000, 600_000]);
  expect(logTicks([0, 3, 400_000])).toEqual([3, 30, 300, 3_000, 30_000, 600_000]);
  for (const most of [1_000, 50_000, 3_000_000, 1e8]) {
    const ticks = logTicks([2, most]) ?? [];
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
  }
});
