import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Bench, rateCountersTests } from '../shared/testing/rate-counters-contract.ts';
import { MemoryRateCounters } from './rate-counters.ts';

const WINDOW_MS = 60_000;
const MERGED_MS = 100;

interface MemoryBench extends Bench {
  readonly counters: MemoryRateCounters;
}

/** Returns counters whose clock only moves when the test advances it. */
function openBench(): MemoryBench {
  let timeMs = 5_000_000;
  const counters = new MemoryRateCounters({ monotonicMs: () => timeMs });
  return {
    counters,
    nowMs: () => timeMs,
    // The counters use whole microseconds.
    wait: (ms) => {
      timeMs = Math.ceil((timeMs + ms) * 1_000) / 1_000;
    },
  };
}

describe('the contract of counters', () => rateCountersTests(test, openBench));

/** The delay before each request, and its amount. */
const history = (maxAmount: number) =>
  fc.array(
    fc.record({
      afterMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(20_000), fc.constant(WINDOW_MS)),
      amount: fc.integer({ min: 1, max: maxAmount }),
    }),
    { minLength: 1, maxLength: 120 },
  );

test('counts since a time are returned with their age while they count', () => {
  const { counters, nowMs, wait } = openBench();
  const window = { scope: '{acme}:requests', limit: 10, windowMs: WINDOW_MS, amount: 1 };
  counters.take({ windows: [window], places: null });
  wait(1_000);
  const sinceUs = counters.nowUs;
  expect(sinceUs).toBe(nowMs() * 1_000);
  expect([counters.hasRecent(window, 0), counters.hasRecent(window, sinceUs)]).toEqual([true, false]);
  counters.add(window, 3);
  wait(500);
  expect(counters.recent(window, 0)).toEqual([
    { ageUs: 1_500_000, amount: 1 },
    { ageUs: 500_000, amount: 3 },
  ]);
  expect(counters.recent(window, sinceUs)).toEqual([{ ageUs: 500_000, amount: 3 }]);
  expect([...counters.inUse()]).toEqual([{ scope: window.scope, windowMs: WINDOW_MS }]);
  wait(WINDOW_MS);
  expect([counters.hasRecent(window, 0), counters.recent(window, 0), [...counters.inUse()]]).toEqual([false, [], []]);
  expect(counters.recent({ ...window, scope: '{acme}:other' }, 0)).toEqual([]);
});

describe('laws', () => {
  test('a single request is admitted exactly if fewer than the limit were admitted in the 60 s before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), history(1), (limit, requests) => {
        const { counters, nowMs, wait } = openBench();
        const quota = { windows: [{ scope: 's', limit, windowMs: WINDOW_MS, amount: 1 }], places: null };
        const admittedAtMs: number[] = [];
        for (const { afterMs } of requests) {
          wait(afterMs);
          const inWindow = admittedAtMs.filter((atMs) => atMs > nowMs() - WINDOW_MS);
          const { isAdmitted, decisions } = counters.take(quota);
          expect(isAdmitted).toBe(inWindow.length < limit);
          if (isAdmitted) admittedAtMs.push(nowMs());
          const retryAfterMs = isAdmitted ? 0 : (inWindow[0] ?? 0) + WINDOW_MS - nowMs();
          const remaining = isAdmitted ? limit - inWindow.length - 1 : 0;
          expect(decisions[0]).toMatchObject({ retryAfterMs, remaining });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('larger amounts never exceed the limit of a window, nor are refused if they would have fitted 100 ms ago', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), history(90), (limit, requests) => {
        const { counters, nowMs, wait } = openBench();
        const admitted: { readonly atMs: number; readonly amount: number }[] = [];
        const sumSince = (sinceMs: number) =>
          admitted.filter(({ atMs }) => atMs > sinceMs).reduce((sum, { amount }) => sum + amount, 0);
        for (const { afterMs, amount } of requests) {
          wait(afterMs);
          const windows = [{ scope: 's', limit, windowMs: WINDOW_MS, amount }];
          const { isAdmitted } = counters.take({ windows, places: null });
          if (isAdmitted) expect(sumSince(nowMs() - WINDOW_MS) + amount).toBeLessThanOrEqual(limit);
          else expect(sumSince(nowMs() - WINDOW_MS - MERGED_MS) + amount).toBeGreaterThan(limit);
          if (isAdmitted) admitted.push({ atMs: nowMs(), amount });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('a request that waits as long as it was told is admitted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 90, max: 400 }), history(90), (limit, requests) => {
        const { counters, wait } = openBench();
        const window = { scope: 's', limit, windowMs: WINDOW_MS };
        for (const [index, { afterMs, amount }] of requests.entries()) {
          wait(afterMs);
          if (index % 3 === 0) counters.add({ ...window, amount: 0 }, amount);
          const quota = { windows: [{ ...window, amount }], places: null };
          const { isAdmitted, decisions } = counters.take(quota);
          if (isAdmitted) continue;
          wait(decisions[0]?.retryAfterMs ?? 0);
          expect(counters.take(quota).isAdmitted).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('memory', () => {
  test('unused scopes are removed while others are used', () => {
    const { counters, wait } = openBench();
    const quota = (scope: string) => ({ windows: [{ scope, limit: 5, windowMs: WINDOW_MS, amount: 1 }], places: null });
    for (let count = 0; count < 1_000; count++) counters.take(quota(`idle-${count}`));
    expect(counters.scopeCount).toBe(1_000);
    wait(WINDOW_MS);
    for (let count = 0; count < 2_100; count++) counters.take(quota('busy'));
    expect(counters.scopeCount).toBe(1);
  });
});
