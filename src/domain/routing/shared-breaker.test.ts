import { beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../failure/failure.ts';
import { DEFAULT_BREAKER } from './breaker-settings.ts';
import { SharedBreaker } from './shared-breaker.ts';

const { minimumRequests: ENOUGH, cooldownMs, windowMs } = DEFAULT_BREAKER;

describe('the breaker of a shared channel', () => {
  let nowMs = 0;
  let breaker: SharedBreaker;
  beforeEach(() => {
    nowMs = 1_000_000;
    breaker = new SharedBreaker(DEFAULT_BREAKER);
    breaker.isShared = true;
  });

  const admits = (account: string) => breaker.admits(account, nowMs);
  const fail = (account: string, times = 1) => {
    const asks = [];
    for (let count = 0; count < times; count++) asks.push(breaker.begin(account, nowMs)?.failed(nowMs, false) ?? false);
    return asks.filter(Boolean).length;
  };
  const succeed = (account: string, times = 1) => {
    for (let count = 0; count < times; count++) breaker.begin(account, nowMs)?.succeeded(nowMs, false);
  };
  const told = (account: string, forMs: number) =>
    breaker
      .begin(account, nowMs)
      ?.rested(new Failure('rate_limit_exceeded', { message: `told to ${account}` }), nowMs, forMs);

  test('blocks an account after its own failures, at once, and no other account', () => {
    fail('a', 500);
    expect([admits('a'), admits('b')]).toEqual([false, true]);
    expect(breaker.availableAtMs('a', nowMs)).toBe(nowMs + cooldownMs);
    expect(breaker.availableAtMs('b', nowMs)).toBe(nowMs);
  });

  test('asks for one probe when it opens for an account, and opens for all if that fails', () => {
    expect(fail('a', 500)).toBe(1);
    breaker.confirmed(nowMs);
    expect([admits('a'), admits('b'), breaker.stateAt(nowMs)]).toEqual([false, false, 'open']);
  });

  test('opens for all once other accounts have seen failures', () => {
    fail('a', 500);
    fail('b', 1);
    expect(admits('c')).toBe(true);
    fail('b', 2);
    expect(admits('c')).toBe(false);
  });

  test('opens for all after one failure each of many accounts', () => {
    for (let at = 0; at < ENOUGH - 1; at++) fail(`account-${at}`);
    expect(admits('c')).toBe(true);
    fail('last');
    expect(admits('c')).toBe(false);
  });

  test('stays closed while most requests of others succeed', () => {
    succeed('c', 50);
    fail('a', 500);
    fail('b', 500);
    expect([admits('a'), admits('b'), admits('c')]).toEqual([false, false, true]);
  });

  test('does not stay open because of a failed probe of one account', () => {
    breaker.confirmed(nowMs);
    for (let round = 0; round < 20; round++) {
      nowMs += cooldownMs;
      fail('a');
    }
    expect([admits('b'), breaker.stateAt(nowMs)]).toEqual([true, 'half-open']);
    succeed('b');
    expect(breaker.stateAt(nowMs)).toBe('closed');
  });

  test('reopens for longer after failed probes of two accounts', () => {
    breaker.confirmed(nowMs);
    nowMs += cooldownMs;
    fail('a');
    fail('b');
    expect(breaker.availableAtMs('c', nowMs)).toBe(nowMs + 2 * cooldownMs);
  });

  test('gives one account one probe, however many requests it sends', () => {
    breaker.confirmed(nowMs);
    nowMs += cooldownMs;
    const passages = Array.from({ length: 10 }, () => breaker.begin('a', nowMs));
    expect(passages.filter((passage) => passage !== null)).toHaveLength(1);
    expect(admits('a')).toBe(false);
    expect(breaker.begin('b', nowMs)).not.toBeNull();
    passages[0]?.answering();
    expect(admits('a')).toBe(true);
  });

  test('does not reopen because of failures before it closed', () => {
    fail('a', 4);
    fail('b', 4);
    expect(breaker.stateAt(nowMs)).toBe('open');
    nowMs += cooldownMs;
    succeed('c');
    fail('a', 100);
    expect(admits('c')).toBe(true);
  });

  test('applies a cooldown to the account that received it, and the shorter one to all once two have', () => {
    told('a', 86_400_000);
    expect([admits('a'), admits('b')]).toEqual([false, true]);
    told('b', 5_000);
    expect(breaker.availableAtMs('c', nowMs)).toBe(nowMs + 5_000);
    expect(breaker.restedBy('b', nowMs)?.message).toBe('told to b');
    expect(breaker.restedBy('a', nowMs)?.message).toBe('told to a');
    expect(breaker.restedBy('c', nowMs)).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(breaker.restedBy('c', nowMs)?.message).not.toContain('told to b');
  });

  test('treats an account without failures for a window like any other', () => {
    fail('a', 3);
    nowMs += windowMs + cooldownMs;
    fail('a', 2);
    expect(admits('a')).toBe(true);
  });

  test('is shown as open while all callers are refused', () => {
    fail('a', 500);
    expect(breaker.stateAt(nowMs)).toBe('open');
    succeed('b');
    expect(breaker.stateAt(nowMs)).toBe('closed');
  });

  test('keeps cooldowns when its settings change', () => {
    fail('a', 500);
    breaker = breaker.withSettings({ ...DEFAULT_BREAKER, windowMs: 7 }, nowMs);
    expect([admits('a'), admits('b')]).toEqual([false, true]);
  });

  test('remembers a bounded number of accounts', () => {
    succeed('well', 5_000);
    fail('first', 500);
    for (let at = 0; at < 1_500; at++) fail(`account-${at}`);
    expect(admits('first')).toBe(true);
  });

  test('opens on the failures of a single account without a probe', () => {
    breaker.isShared = false;
    expect(fail('a', ENOUGH)).toBe(0);
    expect([admits('a'), breaker.stateAt(nowMs)]).toEqual([false, 'open']);
    told('b', 1);
  });
});
