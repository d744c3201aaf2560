import { expect } from 'bun:test';
import { seededRandom } from '../../../domain/routing/testing/seeded-random.ts';
import type { CountersAway, Quota, RateCounters, RateWindow, Taken } from '../../../engine/ports/rate-counters.ts';

/** Counters with the clock that they use. The test advances it; it may also run by itself, as a server's clock does. */
export interface Bench {
  readonly counters: RateCounters;
  nowMs(): number;
  /** Advances the clock by `ms`, with microsecond precision. */
  wait(ms: number): void | Promise<void>;
}

/** Far longer than any test takes, so that real time does not matter. */
const WINDOW_MS = 600_000;

let scopes = 0;
const freshScope = () => `{contract-${process.pid}-${scopes++}}:window`;

function windowOf(limit: number, extra: Partial<RateWindow> = {}): RateWindow {
  return { scope: freshScope(), limit, windowMs: WINDOW_MS, amount: 1, ...extra };
}

function quotaOf(windows: readonly RateWindow[], maxConcurrent: number | null = null): Quota {
  const places =
    maxConcurrent === null ? null : { scope: freshScope().replace('window', 'places'), limit: maxConcurrent };
  return { windows, places };
}

export async function taken(counters: RateCounters, quota: Quota): Promise<Taken> {
  const answer: Taken | CountersAway = await counters.take(quota);
  if (!('decisions' in answer)) throw new Error('the counters are away');
  return answer;
}

/** Tests for all counters. `define` is `test`, or wraps it. */
export function rateCountersTests(
  define: (name: string, body: () => void | Promise<void>) => void,
  bench: () => Bench,
): void {
  windowTests(define, bench);
  quotaTests(define, bench);
  historyTests(define, bench);
}

type Define = Parameters<typeof rateCountersTests>[0];

function windowTests(define: Define, bench: () => Bench): void {
  define('as many are admitted as the limit says, and what is said of the rest is true', async () => {
    const { counters, wait } = bench();
    const quota = quotaOf([windowOf(3)]);
    const remaining: number[] = [];
    for (let count = 0; count < 3; count++) {
      const { isAdmitted, decisions } = await taken(counters, quota);
      expect(isAdmitted).toBe(true);
      expect(decisions[0]).toMatchObject({ isAdmitted: true, limit: 3, retryAfterMs: 0 });
      remaining.push(decisions[0]?.remaining ?? -1);
      await wait(20);
    }
    expect(remaining).toEqual([2, 1, 0]);
    const refused = (await taken(counters, quota)).decisions[0];
    expect(refused).toMatchObject({ isAdmitted: false, remaining: 0 });
    // The first was 60 ms ago, the last 20 ms ago.
    expect(refused?.retryAfterMs).toBeWithin(1, WINDOW_MS - 60 + 2);
    expect(refused?.resetMs).toBeWithin(refused?.retryAfterMs ?? 0, WINDOW_MS - 20 + 2);
  });

  define('who waits exactly as long as was said is admitted', async () => {
    const { counters, wait } = bench();
    const quota = quotaOf([windowOf(5)]);
    for (let round = 0; round < 8; round++) {
      let answer = await taken(counters, quota);
      while (answer.isAdmitted) {
        await wait(7.25);
        answer = await taken(counters, quota);
      }
      await wait(answer.decisions[0]?.retryAfterMs ?? 0);
      expect((await taken(counters, quota)).isAdmitted).toBe(true);
    }
  });

  define('after the reset that was said the whole limit is free', async () => {
    const { counters, wait } = bench();
    const quota = quotaOf([windowOf(2)]);
    await taken(counters, quota);
    await wait(30);
    const { decisions } = await taken(counters, quota);
    await wait(decisions[0]?.resetMs ?? 0);
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(1);
  });

  define('an amount of 0 only asks, and what is added later counts even where it does not fit', async () => {
    const { counters, wait } = bench();
    const tokens = windowOf(100, { amount: 0 });
    const quota = quotaOf([tokens]);
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(100);
    counters.add(tokens, 60);
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(40);
    await wait(150);
    counters.add(tokens, 90);
    const refused = await taken(counters, quota);
    expect(refused.decisions[0]).toMatchObject({ isAdmitted: false, remaining: 0 });
    // The first 60 must leave the window, which leaves 90.
    await wait(refused.decisions[0]?.retryAfterMs ?? 0);
    expect((await taken(counters, quota)).decisions[0]).toMatchObject({ isAdmitted: true, remaining: 10 });
  });

  define('after so much was added that several additions have to leave, the wait is for the last of them', async () => {
    const { counters, nowMs, wait } = bench();
    const tokens = windowOf(10, { amount: 0 });
    const addedAtMs: number[] = [];
    for (let count = 0; count < 3; count++) {
      addedAtMs.push(nowMs());
      counters.add(tokens, 8);
      await wait(101);
    }
    const refused = await taken(counters, quotaOf([tokens]));
    // Allows for the latency of the counters.
    const secondLeavesInMs = (addedAtMs[1] ?? 0) + WINDOW_MS - nowMs();
    expect(refused.decisions[0]?.retryAfterMs).toBeGreaterThan(secondLeavesInMs - CLOCK_DRIFT_MS - 1);
    await wait(refused.decisions[0]?.retryAfterMs ?? 0);
    expect((await taken(counters, quotaOf([tokens]))).isAdmitted).toBe(true);
  });

  define('a limit that is changed counts at once', async () => {
    const { counters } = bench();
    const window = windowOf(4);
    for (let count = 0; count < 4; count++) await taken(counters, quotaOf([window]));
    expect((await taken(counters, quotaOf([{ ...window, limit: 5 }]))).isAdmitted).toBe(true);
    const lowered = await taken(counters, quotaOf([{ ...window, limit: 2 }]));
    expect(lowered.decisions[0]).toMatchObject({ isAdmitted: false, remaining: 0, limit: 2 });
  });

  define('a limit of zero admits nothing and names a whole window', async () => {
    const { decisions, isAdmitted } = await taken(bench().counters, quotaOf([windowOf(0)]));
    expect(isAdmitted).toBe(false);
    expect(decisions[0]).toMatchObject({ remaining: 0, retryAfterMs: WINDOW_MS, resetMs: 0 });
  });

  define('a limit so high that entries are merged is kept, too', async () => {
    const { counters } = bench();
    const quota = quotaOf([windowOf(3_000)]);
    let admitted = 0;
    for (let count = 0; count < 3_100; count++) if ((await taken(counters, quota)).isAdmitted) admitted++;
    expect(admitted).toBe(3_000);
  });
}

function quotaTests(define: Define, bench: () => Bench): void {
  define('a refusal by one window uses up nothing of another', async () => {
    const { counters } = bench();
    const [wide, narrow] = [windowOf(10), windowOf(2)];
    for (let count = 0; count < 6; count++) await taken(counters, quotaOf([wide, narrow]));
    const { decisions } = await taken(counters, quotaOf([wide]));
    expect(decisions[0]?.remaining).toBe(7);
    const both = await taken(counters, quotaOf([narrow, wide]));
    expect(both.decisions.map(({ isAdmitted }) => isAdmitted)).toEqual([false, true]);
  });

  define('places are limited, and one that is left is free', async () => {
    const { counters } = bench();
    const quota = quotaOf([windowOf(10)], 2);
    const first = await taken(counters, quota);
    const second = await taken(counters, quota);
    const refused = await taken(counters, quota);
    expect([first, second, refused].map(({ hasFreePlace }) => hasFreePlace)).toEqual([true, true, false]);
    expect(refused.isAdmitted).toBe(false);
    // It was not counted.
    expect(refused.decisions[0]).toMatchObject({ isAdmitted: true, remaining: 8 });
    if (quota.places !== null) counters.leave(quota.places, first.place ?? '');
    expect((await taken(counters, quota)).isAdmitted).toBe(true);
    expect((await taken(counters, quota)).isAdmitted).toBe(false);
  });

  define('a refusal by a window takes no place', async () => {
    const { counters } = bench();
    const narrow = windowOf(1);
    const quota = quotaOf([narrow], 2);
    for (let count = 0; count < 5; count++) await taken(counters, quota);
    const roomy = { ...quota, windows: [windowOf(10)] };
    expect((await taken(counters, roomy)).isAdmitted).toBe(true);
    expect((await taken(counters, roomy)).isAdmitted).toBe(false);
  });

  define('of many that ask at once only as many are admitted as may', async () => {
    const { counters } = bench();
    const quota = quotaOf([windowOf(40), windowOf(25)], 30);
    const answers = await Promise.all(Array.from({ length: 200 }, () => taken(counters, quota)));
    expect(answers.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(25);
  });
}

function historyTests(define: Define, bench: () => Bench): void {
  for (const seed of [1, 2, 3]) {
    define(`in no window of a random history is more than the limit admitted, ${seed}`, async () => {
      const { counters, nowMs, wait } = bench();
      const random = seededRandom(seed);
      const limit = 5 + Math.floor(random() * 20);
      const quota = quotaOf([windowOf(limit)]);
      /** The interval in which each admission happened. */
      const admissions: { readonly fromMs: number; readonly toMs: number }[] = [];
      const endMs = nowMs() + 4 * WINDOW_MS;
      while (nowMs() < endMs) {
        const burst = 1 + Math.floor(random() * limit * 1.5);
        const fromMs = nowMs();
        const answers = await Promise.all(Array.from({ length: burst }, () => taken(counters, quota)));
        const toMs = nowMs();
        for (const { isAdmitted } of answers) if (isAdmitted) admissions.push({ fromMs, toMs });
        await wait(random() * WINDOW_MS * 0.3);
      }
      expect(admissions.length).toBeGreaterThan(2 * limit);
      for (const [index, { fromMs }] of admissions.entries()) {
        const oneTooMany = admissions[index + limit];
        if (oneTooMany !== undefined)
          expect(oneTooMany.toMs - fromMs).toBeGreaterThanOrEqual(WINDOW_MS - CLOCK_DRIFT_MS);
      }
    });
  }
}

/** The most that two processes' clocks may diverge during a test. */
const CLOCK_DRIFT_MS = 100;
