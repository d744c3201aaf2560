import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LATENCY_BOUNDS_MS, LATENCY_STEPS, latencyPercentiles, latencyStepOf, NO_LATENCIES } from './latency-steps.ts';

const MOST_MS = LATENCY_BOUNDS_MS.at(-1) ?? 0;

function percentilesOf(latencies: readonly number[]) {
  const counts = [...NO_LATENCIES];
  for (const ms of latencies) counts[latencyStepOf(ms)] = (counts[latencyStepOf(ms)] ?? 0) + 1;
  const sumMs = latencies.reduce((sum, ms) => sum + ms, 0);
  return latencyPercentiles(counts, { sumMs, requests: latencies.length });
}

test('a percentile lies in the step of the exact one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: MOST_MS }), { minLength: 1, maxLength: 300 }), (latencies) => {
      const found = percentilesOf(latencies);
      const sorted = latencies.toSorted((one, other) => one - other);
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const step = latencyStepOf(exact);
        expect(found?.[name]).toBeGreaterThanOrEqual(LATENCY_BOUNDS_MS[step - 1] ?? 0);
        expect(found?.[name]).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[step] ?? MOST_MS);
      }
      expect(found?.p50).toBeLessThanOrEqual(found?.p95 ?? -1);
      expect(found?.p95).toBeLessThanOrEqual(found?.p99 ?? -1);
    }),
  );
});

test('a video among a hundred short requests moves the highest percentile only', () => {
  const short = Array.from({ length: 99 }, () => 800);
  const found = percentilesOf([...short, 600_000]);
  expect(found?.p50).toBeLessThan(1_000);
  expect(found?.p95).toBeLessThan(1_000);
  expect(percentilesOf([...short, 600_000, 600_000])?.p99).toBeGreaterThan(330_000);
});

test('equal latencies are exact, and none are unknown', () => {
  expect(percentilesOf([1_234, 1_234])).toEqual({ p50: 1_234, p95: 1_234, p99: 1_234 });
  expect(percentilesOf([])).toBeNull();
  expect(latencyPercentiles(NO_LATENCIES, { sumMs: 5_000, requests: 3 })).toBeNull();
  expect(latencyStepOf(Number.MAX_SAFE_INTEGER)).toBe(LATENCY_STEPS - 1);
});

test('requests from before the counts do not move a percentile', () => {
  const counts = NO_LATENCIES.with(latencyStepOf(1_200), 4);
  expect(latencyPercentiles(counts, { sumMs: 1_000_000, requests: 10 })?.p95).toBeLessThanOrEqual(1_500);
});
