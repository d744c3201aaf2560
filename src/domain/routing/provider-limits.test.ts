import { describe, expect, test } from 'bun:test';
import { NO_TOKENS, ProviderLimits, type StatedLimit } from './provider-limits.ts';

const LONGEST_MS = 300_000;

function limit(fields: Partial<StatedLimit> = {}): StatedLimit {
  return { index: 0, unit: 'requests', limit: 60, remaining: 2, resetMs: 58_000, refill: 'steady', ...fields };
}

function stated(...limits: readonly StatedLimit[]): ProviderLimits {
  const limited = new ProviderLimits();
  limited.states(limits, null, 0, LONGEST_MS);
  return limited;
}

/** Sends requests until one has to wait; returns how many were sent and the wait. */
function sendAll(limits: ProviderLimits, nowMs: number): [sent: number, waitMs: number] {
  for (let sent = 0; ; sent++) {
    const waitMs = limits.waitMs(NO_TOKENS, nowMs);
    if (waitMs > 0 || sent === 1_000) return [sent, waitMs];
    limits.sends(NO_TOKENS, nowMs);
  }
}

describe('limits that a provider states', () => {
  test('stop requests when what is left was sent, until one comes back', () => {
    const limits = stated(limit());
    expect(sendAll(limits, 0)).toEqual([2, 1_000]);
    expect(sendAll(limits, 1_000)).toEqual([1, 1_000]);
  });

  test('that come back at the end of a window stop requests until then, and do not let all of them go at once', () => {
    const limits = stated(limit({ refill: 'window', limit: 10, remaining: 0, resetMs: 20_000 }));
    expect(sendAll(limits, 5_000)).toEqual([0, 15_000]);
    expect(sendAll(limits, 20_000)).toEqual([10, 20_000]);
  });

  test('count tokens, and let a request above the whole limit go when nothing else uses it', () => {
    const limits = stated(limit({ unit: 'tokens', limit: 1_000, remaining: 400, resetMs: 36_000 }));
    const of = (input: number) => ({ input, output: 0 });
    expect(limits.waitMs(of(400), 0)).toBe(0);
    expect(limits.waitMs(of(700), 0)).toBe(18_000);
    expect(limits.waitMs(of(1_000_000), 0)).toBe(36_000);
    expect(limits.waitMs(of(1_000_000), 36_000)).toBe(0);
  });

  test('count the requests that were sent after the one whose answer states them', () => {
    const limits = stated(limit({ remaining: 50, resetMs: 10_000 }));
    const first = limits.sends(NO_TOKENS, 0);
    for (let index = 0; index < 3; index++) limits.sends(NO_TOKENS, 0);
    limits.states([limit({ remaining: 4, resetMs: 56_000 })], first, 0, LONGEST_MS);
    expect(sendAll(limits, 0)).toEqual([1, 1_000]);
  });

  test('are not taken from an answer that a newer one has overtaken', () => {
    const limits = stated(limit({ remaining: 50, resetMs: 10_000 }));
    const [first, second] = [limits.sends(NO_TOKENS, 0), limits.sends(NO_TOKENS, 0)];
    limits.states([limit({ remaining: 0, resetMs: 60_000 })], second, 0, LONGEST_MS);
    limits.states([limit({ remaining: 50, resetMs: 10_000 })], first, 0, LONGEST_MS);
    expect(limits.waitMs(NO_TOKENS, 0)).toBeGreaterThan(0);
  });

  test('never make anybody wait longer than the longest rest, whatever the upstream claims', () => {
    for (const refill of ['steady', 'window'] as const) {
      for (const unit of ['requests', 'tokens'] as const) {
        const year = 365 * 86_400_000;
        const limits = stated(limit({ unit, refill, limit: 1e12, remaining: 0, resetMs: year }));
        expect(limits.waitMs({ input: 5_000, output: 5_000 }, 0)).toBeLessThanOrEqual(LONGEST_MS);
        expect(limits.waitMs({ input: 5_000, output: 5_000 }, LONGEST_MS)).toBe(0);
      }
    }
  });

  test('that are whole again or reset in the past stop nothing for long', () => {
    expect(stated(limit({ refill: 'window', remaining: 0, resetMs: 0 })).waitMs(NO_TOKENS, 0)).toBe(0);
    expect(stated(limit({ remaining: 0, resetMs: 0 })).waitMs(NO_TOKENS, 0)).toBeLessThanOrEqual(1_000);
    expect(stated(limit({ remaining: 60, resetMs: 0 })).waitMs(NO_TOKENS, 0)).toBe(0);
  });

  test('without a limit are followed until their reset', () => {
    const limits = stated(limit({ limit: null, remaining: 0, resetMs: 2_000 }));
    expect(limits.waitMs(NO_TOKENS, 0)).toBe(2_000);
    expect(limits.waitMs(NO_TOKENS, 2_000)).toBe(0);
  });

  test('can be read', () => {
    expect(stated(limit()).readings(1_000)).toEqual([{ unit: 'requests', limit: 60, left: 3 }]);
  });
});
