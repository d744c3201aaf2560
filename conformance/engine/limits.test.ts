import { describe, expect, test } from 'bun:test';
import type { Account } from '../../src/domain/access/account.ts';
import type { Credential } from '../../src/domain/access/api-key.ts';
import type { Principal } from '../../src/domain/access/principal.ts';
import { sampleBillable } from '../../src/domain/exchange/testing/sample-usage.ts';
import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import { Limits } from '../../src/engine/limits/limits.ts';
import type { Admission } from '../../src/engine/ports/admission.ts';
import type { RateCounters } from '../../src/engine/ports/rate-counters.ts';
import { sampleAccount, sampleCredential } from '../../src/engine/ports/testing/samples.ts';
import { MemoryRateCounters } from '../../src/stores/in-process/rate-counters.ts';

function principalOf(account: Partial<Account> = {}, credential: Partial<Credential> = {}): Principal {
  return {
    account: sampleAccount(account),
    credential: sampleCredential({ id: 'main', name: 'main', ...credential }),
  };
}

interface Door {
  readonly clock: FakeClock;
  admit(principal: Principal): Admission;
}

function openDoor(): Door {
  const clock = new FakeClock();
  const limits = new Limits({ counters: new MemoryRateCounters(clock) });
  const admit = (principal: Principal) => {
    const admission = limits.admit(principal);
    if (admission instanceof Promise) throw new Error('counters in memory answer at once');
    return admission;
  };
  return { clock, admit };
}

function admittedOf({ admit }: Door, principal: Principal, asks: number): number {
  return Array.from({ length: asks }, () => admit(principal)).filter(({ refusal }) => refusal === null).length;
}

describe('requests per minute', () => {
  test.each([
    ['User', 60],
    ['Partner', 300],
    ['VIP', 1_000],
  ] as const)('the role %s has %d', (role, limit) => {
    expect(admittedOf(openDoor(), principalOf({ role }), limit + 5)).toBe(limit);
  });

  test("an account's own limit overrides that of its role", () => {
    expect(admittedOf(openDoor(), principalOf({ requestsPerMinute: 7 }), 20)).toBe(7);
    expect(admittedOf(openDoor(), principalOf({ requestsPerMinute: 90 }), 200)).toBe(90);
  });

  test('are counted over all keys of an account, and separately per account', () => {
    const door = openDoor();
    expect(admittedOf(door, principalOf({}, { id: 'a' }), 40)).toBe(40);
    expect(admittedOf(door, principalOf({}, { id: 'b' }), 40)).toBe(20);
    expect(admittedOf(door, principalOf({ id: 'globex' }), 40)).toBe(40);
  });

  test('of a key with its own limit are counted in both, and refused ones in neither', () => {
    const door = openDoor();
    expect(admittedOf(door, principalOf({}, { id: 'a', requestsPerMinute: 10 }), 50)).toBe(10);
    expect(admittedOf(door, principalOf({}, { id: 'b' }), 100)).toBe(50);
    door.clock.advance(60_000);
    expect(admittedOf(door, principalOf({}, { id: 'b' }), 55)).toBe(55);
    expect(admittedOf(door, principalOf({}, { id: 'a', requestsPerMinute: 10 }), 50)).toBe(5);
  });

  test('never exceed 60 in 60 seconds of random bursts, and a client that waits as advised is admitted', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      const door = openDoor();
      const principal = principalOf();
      const admittedAtMs: number[] = [];
      const ask = () => {
        const { refusal } = door.admit(principal);
        if (refusal === null) admittedAtMs.push(door.clock.monotonicMs());
        return refusal;
      };
      const endMs = door.clock.monotonicMs() + 600_000;
      while (door.clock.monotonicMs() < endMs) {
        let refused = null;
        for (let left = Math.floor(random() * 120); left > 0; left--) refused = ask() ?? refused;
        door.clock.advance(Math.floor(random() * 15_000));
        if (refused === null || random() < 0.5) continue;
        const again = ask();
        if (again === null) continue;
        door.clock.advance((again.retryAfterSeconds ?? 0) * 1_000);
        expect(ask()).toBeNull();
      }
      expect(admittedAtMs.length).toBeGreaterThan(300);
      for (const [index, atMs] of admittedAtMs.entries()) {
        const oneTooMany = admittedAtMs[index + 60];
        if (oneTooMany !== undefined) expect(oneTooMany - atMs).toBeGreaterThanOrEqual(60_000);
      }
    }
  });
});

/** Makes the usage of a prompt and an answer of one token, `all` tokens in total. */
const tokens = (all: number) => sampleBillable({ input: all - 1, output: 1 });

describe('tokens per minute', () => {
  const principal = principalOf({ tokensPerMinute: 1_000 });

  test('admit while the sum is below the limit, and count when a request is over', () => {
    const door = openDoor();
    const [first, second] = [door.admit(principal), door.admit(principal)];
    first.end(tokens(999));
    expect(door.admit(principal).refusal).toBeNull();
    second.end(tokens(1));
    const refused = door.admit(principal).refusal;
    expect(refused?.message).toContain('1000 tokens');
    door.clock.advance((refused?.retryAfterSeconds ?? 0) * 1_000);
    expect(door.admit(principal).refusal).toBeNull();
  });

  test('include the whole prompt and response, and nothing else that is billed', () => {
    const door = openDoor();
    const parts = { input: 700, cachedInput: 100, cacheWrite: 50, output: 100, reasoning: 48, outputAudio: 1 };
    const { quantities, source } = sampleBillable(parts);
    door.admit(principal).end({ quantities: [...quantities, { unit: 'character', amount: 5_000 }], source });
    const next = door.admit(principal);
    expect(next.refusal).toBeNull();
    next.end(sampleBillable({ output: 1 }));
    expect(door.admit(principal).refusal).not.toBeNull();
  });

  test('of a request are counted once, and unknown ones not at all', () => {
    const door = openDoor();
    const admission = door.admit(principal);
    admission.end(null);
    admission.end(tokens(5_000));
    const other = door.admit(principal);
    other.end(tokens(999));
    other.end(tokens(999));
    expect(door.admit(principal).refusal).toBeNull();
  });

  test('do not count a request that they refuse', () => {
    const door = openDoor();
    door.admit(principal).end(tokens(1_000));
    expect(admittedOf(door, principal, 100)).toBe(0);
    const unlimited = principalOf({ tokensPerMinute: null });
    expect(admittedOf(door, unlimited, 100)).toBe(59);
  });
});

describe('concurrent requests', () => {
  test('are limited per account, and each that ends admits another', () => {
    const door = openDoor();
    const principal = principalOf({ maxConcurrent: 2 });
    const running = door.admit(principal);
    expect(admittedOf(door, principal, 5)).toBe(1);
    running.end(null);
    running.end(null);
    expect(admittedOf(door, principal, 5)).toBe(1);
  });

  test('do not include refused ones', () => {
    const door = openDoor();
    const principal = principalOf({ maxConcurrent: 1 });
    const running = door.admit(principal);
    door.admit(principal).end(null);
    expect(door.admit(principal).refusal).not.toBeNull();
    running.end(null);
    expect(door.admit(principal).refusal).toBeNull();
  });
});

describe("a client's view of its limits", () => {
  test('names the owner of each limit, which never looks like an upstream failure', () => {
    const refusalAfter = (asks: number, principal: Principal) => {
      const door = openDoor();
      for (let count = 0; count < asks; count++) door.admit(principal);
      return door.admit(principal).refusal;
    };
    const ofRole = refusalAfter(60, principalOf());
    const own = refusalAfter(5, principalOf({ requestsPerMinute: 5 }));
    const ofKey = refusalAfter(5, principalOf({}, { id: 'ci', requestsPerMinute: 5 }));
    const atOnce = refusalAfter(3, principalOf({ maxConcurrent: 3 }));
    expect([ofRole, own, ofKey, atOnce].map((refusal) => refusal?.message)).toEqual([
      'The account `acme` has reached its limit of 60 requests in any 60 seconds (set by the role User).',
      'The account `acme` has reached its limit of 5 requests in any 60 seconds.',
      'The API key `ci` has reached its limit of 5 requests in any 60 seconds.',
      'The account `acme` has reached its limit of 3 requests in flight.',
    ]);
    expect([ofRole, own, ofKey, atOnce].map((refusal) => refusal?.kind)).toEqual([
      'account_requests_per_minute',
      'account_requests_per_minute',
      'key_requests_per_minute',
      'account_concurrent_requests',
    ]);
    for (const refusal of [ofRole, own, ofKey, atOnce]) {
      expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', status: 429, side: 'client', retry: 'never' });
      expect(refusal?.retryAfterSeconds).toBeWithin(1, 61);
      expect(refusal?.details.hint).toBeString();
    }
  });

  test('counts down in headers, for the limit closest to exhaustion', () => {
    const door = openDoor();
    const headers = (principal: Principal) => Object.values(door.admit(principal).headers ?? {}).join(' ');
    const narrow = principalOf({}, { id: 'narrow', requestsPerMinute: 2 });
    expect(headers(principalOf())).toBe('60 59 60');
    door.clock.advance(1_500);
    expect(headers(narrow)).toBe('2 1 60');
    expect(headers(narrow)).toBe('2 0 60');
    door.clock.advance(500);
    expect(headers(narrow)).toBe('2 0 60');
    expect(headers(principalOf())).toBe('60 56 60');
    expect(Object.keys(door.admit(narrow).headers ?? {})).toEqual([
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ]);
  });

  test('has the longest wait of several exceeded limits', () => {
    const door = openDoor();
    const principal = principalOf({ requestsPerMinute: 1, tokensPerMinute: 10 });
    const running = door.admit(principal);
    door.clock.advance(30_000);
    running.end(tokens(10));
    const refusal = door.admit(principal).refusal;
    expect(refusal?.kind).toBe('account_tokens_per_minute');
    door.clock.advance((refusal?.retryAfterSeconds ?? 0) * 1_000);
    expect(door.admit(principal).refusal).toBeNull();
  });

  test('is a 503 if counting is unavailable and uncounted requests are not admitted', async () => {
    const away: RateCounters = {
      take: async () => ({ retryAfterMs: 700 }),
      add: () => {},
      leave: () => {},
    };
    const admission = await new Limits({ counters: away }).admit(principalOf());
    expect(admission.headers).toBeNull();
    expect(admission.refusal).toMatchObject({
      code: 'limits_unavailable',
      status: 503,
      side: 'gateway',
      retryAfterSeconds: 1,
    });
    admission.end(tokens(5));
  });
});
