import { describe, expect, test } from 'bun:test';
import { PollQuota } from './poll-quota.ts';

const MANY = 1_000_000;

/** Returns how many polls of the account can be in flight at these channels while none answers. */
function askedAt(quota: PollQuota, accountId: string, channels: readonly string[], hasOthers: boolean): number {
  let asked = 0;
  for (let round = 0; round < 100; round++) {
    for (const channelId of channels) {
      if (!quota.isOpen(1_000) || quota.waitMs(accountId, channelId, { hasOthers }) > 0) continue;
      quota.begin(accountId, channelId);
      asked++;
    }
  }
  return asked;
}

function open(): PollQuota {
  const quota = new PollQuota(MANY, 0);
  quota.isOpen(1_000);
  return quota;
}

const channels = (of: string) => Array.from({ length: 40 }, (_, index) => `${of}-${index}`);

describe('channels that do not respond', () => {
  test('block only their own polls', () => {
    const quota = open();
    expect(askedAt(quota, 'acme', ['hanging'], false)).toBe(8);
    expect(quota.waitMs('acme', 'other', { hasOthers: false })).toBe(0);
  });

  test('of one account leave half of all polls to others, however many there are', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', channels('own'), true)).toBe(32);
    expect(askedAt(quota, 'acme', channels('shared'), true)).toBe(32);
  });

  test('of a single account leave room for the next one', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', channels('own'), false)).toBe(56);
    expect(askedAt(quota, 'acme', ['shared'], true)).toBe(6);
  });

  test('that are shared are not filled by one account', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', ['shared'], true)).toBe(6);
    expect(askedAt(quota, 'acme', ['shared'], true)).toBe(2);
  });

  test('count until their polls are over', () => {
    const quota = open();
    const asked = askedAt(quota, 'mallory', channels('own'), true);
    for (let index = 0; index < asked; index++) quota.end('mallory', `own-${index % 40}`);
    expect(askedAt(quota, 'mallory', channels('own'), true)).toBe(32);
  });
});

test('one account has half of the polls per second if there are others', () => {
  const quota = new PollQuota(10, 0);
  quota.isOpen(1_000);
  for (let index = 0; index < 5; index++) quota.begin('acme', `channel-${index}`);
  expect(quota.waitMs('acme', 'next', { hasOthers: true })).toBeGreaterThan(0);
  expect(quota.waitMs('acme', 'next', { hasOthers: false })).toBe(0);
  expect(quota.waitMs('other', 'next', { hasOthers: true })).toBe(0);
});
