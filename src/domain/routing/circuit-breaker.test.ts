import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type BreakerSettings, DEFAULT_BREAKER } from './breaker-settings.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { BreakerHistory, breakerHistories } from './testing/breaker-history.ts';

const SETTINGS: BreakerSettings = {
  windowMs: 10_000,
  failureRate: 0.5,
  minimumRequests: 4,
  cooldownMs: 1_000,
  maxCooldownMs: 6_000,
  probes: 2,
};

function fail(breaker: CircuitBreaker, nowMs: number, times = 1): void {
  for (let count = 0; count < times; count++) breaker.failed(breaker.begin(nowMs), nowMs, false);
}

function succeed(breaker: CircuitBreaker, nowMs: number, times = 1): void {
  for (let count = 0; count < times; count++) breaker.succeeded(breaker.begin(nowMs), nowMs, false);
}

/** Returns a breaker that is half-open from 1,000 on. */
function opened(settings = SETTINGS): CircuitBreaker {
  const breaker = new CircuitBreaker(settings);
  fail(breaker, 0, settings.minimumRequests);
  return breaker;
}

describe('closed', () => {
  test('stays closed below the minimum of requests', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    fail(breaker, 0, 3);
    expect(breaker.stateAt(0)).toBe('closed');
    fail(breaker, 0);
    expect(breaker.stateAt(0)).toBe('open');
  });

  test('stays closed below the rate of failures', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    succeed(breaker, 0, 5);
    fail(breaker, 0, 4);
    expect(breaker.stateAt(0)).toBe('closed');
    fail(breaker, 0);
    expect(breaker.stateAt(0)).toBe('open');
  });

  test('drops failures that have left the window', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    fail(breaker, 0, 3);
    fail(breaker, 10_000, 3);
    expect(breaker.stateAt(10_000)).toBe('closed');
  });

  test('does not count requests that were abandoned', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    fail(breaker, 0, 3);
    for (let count = 0; count < 9; count++) breaker.abandoned(breaker.begin(0), false);
    expect(breaker.stateAt(0)).toBe('closed');
  });

  test('ignores the results of requests that began before it opened', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    const early = breaker.begin(0);
    fail(breaker, 0, 4);
    breaker.failed(early, 500, false);
    breaker.succeeded(early, 500, true);
    expect(breaker.availableAtMs(500)).toBe(1_000);
    expect(breaker.openings).toBe(1);
  });
});

describe('open', () => {
  test('refuses until the cooldown is over, and reports when that is', () => {
    const breaker = opened();
    expect(breaker.begin(999)).toBe(CircuitBreaker.REFUSED);
    expect(breaker.admits(999)).toBe(false);
    expect(breaker.availableAtMs(999)).toBe(1_000);
    expect(breaker.stateAt(1_000)).toBe('half-open');
    expect(breaker.admits(1_000)).toBe(true);
  });

  test('doubles the cooldown after each failed probe, up to the longest', () => {
    const breaker = opened();
    const cooldowns: number[] = [];
    for (let nowMs = 1_000; cooldowns.length < 4; nowMs = breaker.availableAtMs(nowMs)) {
      fail(breaker, nowMs);
      cooldowns.push(breaker.availableAtMs(nowMs) - nowMs);
    }
    expect(cooldowns).toEqual([2_000, 4_000, 6_000, 6_000]);
    expect(breaker.openings).toBe(5);
  });

  test('starts again with the shortest cooldown once it has closed', () => {
    const breaker = opened();
    fail(breaker, 1_000);
    succeed(breaker, 3_000);
    fail(breaker, 3_000, 4);
    expect(breaker.availableAtMs(3_000)).toBe(4_000);
  });
});

describe('half-open', () => {
  test('admits as many probes as there are slots', () => {
    const breaker = opened();
    expect(breaker.begin(1_000)).not.toBe(CircuitBreaker.REFUSED);
    expect(breaker.begin(1_000)).not.toBe(CircuitBreaker.REFUSED);
    expect(breaker.begin(1_000)).toBe(CircuitBreaker.REFUSED);
    expect(breaker.availableAtMs(1_500)).toBe(2_500);
  });

  test('frees the slot once at the first byte, whatever comes after it', () => {
    const breaker = opened();
    const [first] = [breaker.begin(1_000), breaker.begin(1_000)];
    breaker.answering(first);
    breaker.abandoned(first, true);
    expect(breaker.begin(1_000)).not.toBe(CircuitBreaker.REFUSED);
    expect(breaker.begin(1_000)).toBe(CircuitBreaker.REFUSED);
  });

  test('frees no slot for a request that began before it opened', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    const early = breaker.begin(0);
    fail(breaker, 0, 4);
    breaker.begin(1_000);
    breaker.begin(1_000);
    breaker.answering(early);
    breaker.abandoned(early, false);
    expect(breaker.admits(1_000)).toBe(false);
  });

  test('keeps no slot for probes of an earlier half-open period', () => {
    const breaker = opened();
    const [first] = [breaker.begin(1_000), breaker.begin(1_000)];
    breaker.failed(first, 1_000, false);
    expect(breaker.begin(3_000)).not.toBe(CircuitBreaker.REFUSED);
    expect(breaker.begin(3_000)).not.toBe(CircuitBreaker.REFUSED);
    expect(breaker.begin(3_000)).toBe(CircuitBreaker.REFUSED);
  });

  test('frees the slot of an abandoned probe and stays half-open', () => {
    const breaker = opened();
    const [first] = [breaker.begin(1_000), breaker.begin(1_000)];
    breaker.abandoned(first, false);
    expect(breaker.stateAt(1_000)).toBe('half-open');
    expect(breaker.admits(1_000)).toBe(true);
  });

  test('closes with an empty window', () => {
    const breaker = opened();
    succeed(breaker, 1_000);
    fail(breaker, 1_000, 3);
    expect(breaker.stateAt(1_000)).toBe('closed');
    expect(breaker.openings).toBe(0);
  });

  test('does not double the cooldown again for the second of two failed probes', () => {
    const breaker = opened();
    const probes = [breaker.begin(1_000), breaker.begin(1_000)];
    for (const probe of probes) breaker.failed(probe, 1_000, false);
    expect(breaker.openings).toBe(2);
    expect(breaker.availableAtMs(1_000)).toBe(3_000);
  });

  test('writes off probes that never report', () => {
    const breaker = opened();
    const [lost] = [breaker.begin(1_000), breaker.begin(1_000)];
    expect(breaker.admits(600_999)).toBe(false);
    const probe = breaker.begin(601_000);
    expect(probe).not.toBe(CircuitBreaker.REFUSED);
    breaker.succeeded(lost, 601_000, false);
    expect(breaker.stateAt(601_000)).toBe('half-open');
    breaker.succeeded(probe, 601_000, false);
    expect(breaker.stateAt(601_000)).toBe('closed');
  });
});

describe('rest', () => {
  test('blocks requests for the given time, without counting as an opening', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    breaker.rest(0, 5_000);
    expect(breaker.availableAtMs(0)).toBe(5_000);
    expect(breaker.openings).toBe(0);
    expect(breaker.stateAt(5_000)).toBe('half-open');
    fail(breaker, 5_000);
    expect(breaker.availableAtMs(5_000)).toBe(6_000);
  });

  test('lasts at most the longest cooldown', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    breaker.rest(0, 86_400_000);
    expect(breaker.availableAtMs(0)).toBe(6_000);
  });

  test('never shortens a longer one', () => {
    const breaker = new CircuitBreaker(SETTINGS);
    breaker.rest(0, 5_000);
    breaker.rest(1_000, 1_000);
    expect(breaker.availableAtMs(1_000)).toBe(5_000);
    breaker.rest(1_000, 4_500);
    expect(breaker.availableAtMs(1_000)).toBe(5_500);
  });

  test.each([0, -1, Number.NaN])('for %p ms admits probes at once', (forMs) => {
    const breaker = new CircuitBreaker(SETTINGS);
    breaker.rest(100, forMs);
    expect(breaker.stateAt(100)).toBe('half-open');
  });

  test('makes the result of the request that caused it irrelevant', () => {
    const breaker = opened();
    const probe = breaker.begin(1_000);
    breaker.rest(1_000, 500);
    breaker.failed(probe, 1_000, false);
    expect(breaker.availableAtMs(1_000)).toBe(1_500);
    expect(breaker.openings).toBe(1);
  });
});

describe('memory', () => {
  test('openings and the doubled cooldown survive a restart, on another clock', () => {
    const before = opened();
    fail(before, 1_000);
    const memory = before.remember(1_500);
    expect(memory).toEqual({ openings: 2, availableInMs: 1_500 });
    const after = new CircuitBreaker(SETTINGS);
    after.restore(memory, 77_000);
    expect(after.availableAtMs(77_000)).toBe(78_500);
    fail(after, 78_500);
    expect(after.availableAtMs(78_500)).toBe(82_500);
  });

  test('a half-open breaker is restored as half-open', () => {
    const memory = opened().remember(5_000);
    expect(memory).toEqual({ openings: 1, availableInMs: 0 });
    const after = new CircuitBreaker(SETTINGS);
    after.restore(memory, 0);
    expect(after.stateAt(0)).toBe('half-open');
    expect(after.openings).toBe(1);
  });

  test('reset clears the cooldown, the openings and the window', () => {
    const breaker = opened();
    breaker.reset();
    expect(breaker.remember(0)).toEqual({ openings: 0, availableInMs: null });
    fail(breaker, 0, 3);
    expect(breaker.stateAt(0)).toBe('closed');
    breaker.rest(0, 10);
    expect(breaker.availableAtMs(0)).toBe(10);
  });
});

describe('in any history', () => {
  const settings = fc.record({
    windowMs: fc.constantFrom(1_000, 10_000),
    failureRate: fc.constantFrom(0.1, 0.5, 1),
    minimumRequests: fc.integer({ min: 1, max: 4 }),
    cooldownMs: fc.integer({ min: 1, max: 2_000 }),
    maxCooldownMs: fc.integer({ min: 2_000, max: 10_000 }),
    probes: fc.integer({ min: 1, max: 3 }),
  });

  test('slots are neither leaked nor overdrawn, and results of a past epoch are ignored', () => {
    fc.assert(
      fc.property(settings, breakerHistories, (chosen, events) => {
        const history = new BreakerHistory(chosen);
        for (const event of events) history.play(event);
      }),
      { numRuns: 500 },
    );
  });

  test('it admits again eventually, and closes once requests succeed', () => {
    fc.assert(
      fc.property(settings, breakerHistories, (chosen, events) => {
        const history = new BreakerHistory(chosen);
        for (const event of events) history.play(event);
        const nowMs = history.nowMs + 600_000;
        expect(history.breaker.admits(nowMs)).toBe(true);
        succeed(history.breaker, nowMs);
        expect(history.breaker.stateAt(nowMs)).toBe('closed');
      }),
    );
  });
});

test('the doubling stays within the longest cooldown, however often it opens', () => {
  const breaker = opened(DEFAULT_BREAKER);
  let nowMs = 0;
  for (let count = 0; count < 2_000; count++) {
    nowMs = breaker.availableAtMs(nowMs);
    fail(breaker, nowMs);
  }
  expect(breaker.availableAtMs(nowMs) - nowMs).toBe(DEFAULT_BREAKER.maxCooldownMs);
});
