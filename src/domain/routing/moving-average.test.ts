import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MovingAverage } from './moving-average.ts';

test('an average has no value before the first sample, then that sample', () => {
  const average = new MovingAverage();
  expect([average.valueAt(0), average.latest]).toEqual([null, null]);
  average.add(400, 0);
  expect([average.valueAt(0), average.latest]).toEqual([400, 400]);
});

test('an average gives a new sample a fifth of the weight', () => {
  const average = new MovingAverage();
  average.add(100, 0);
  average.add(600, 1_000);
  expect(average.valueAt(1_000)).toBeCloseTo(200);
  expect(average.latest).toBe(600);
});

test('an average halves every 30 s once it is 30 s old', () => {
  const average = new MovingAverage();
  average.add(800, 5_000);
  expect(average.valueAt(35_000)).toBe(800);
  expect(average.valueAt(65_000)).toBeCloseTo(400);
  expect(average.valueAt(95_000)).toBeCloseTo(200);
});

test.each([50, 5_000])('a sample of %p ms after a long pause outweighs older ones', (sampleMs) => {
  const average = new MovingAverage();
  average.add(1_000, 0);
  average.add(sampleMs, 600_000);
  expect(average.valueAt(600_000)).toBeCloseTo(sampleMs, 0);
});

test('an average stays between its least and its greatest sample as long as it is refreshed', () => {
  const samples = fc.array(fc.record({ valueMs: fc.nat({ max: 60_000 }), afterMs: fc.nat({ max: 90_000 }) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(samples, (chosen) => {
      const average = new MovingAverage();
      let nowMs = 0;
      for (const { valueMs, afterMs } of chosen) {
        nowMs += afterMs;
        average.add(valueMs, nowMs);
      }
      const values = chosen.map(({ valueMs }) => valueMs);
      expect(average.valueAt(nowMs)).toBeGreaterThanOrEqual(Math.min(...values) - 1e-6);
      expect(average.valueAt(nowMs)).toBeLessThanOrEqual(Math.max(...values) + 1e-6);
    }),
  );
});
