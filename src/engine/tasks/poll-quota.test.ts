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

describe('channels that do not answer', () => {
  test('keep no more than their own questions from the others', () => {
    const quota = open();
    expect(askedAt(quota, 'acme', ['hanging'], false)).toBe(8);
    expect(quota.waitMs('acme', 'other', { hasOthers: false })).toBe(0);
  });

  test('of one account leave half of all questions to others, however many channels it has', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', channels('own'), true)).toBe(32);
    expect(askedAt(quota, 'acme', channels('shared'), true)).toBe(32);
  });

  test('of an account that was alone leave room for the next one', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', channels('own'), false)).toBe(56);
    expect(askedAt(quota, 'acme', ['shared'], true)).toBe(6);
  });

  test('and that accounts share are not filled by one of them', () => {
    const quota = open();
    expect(askedAt(quota, 'mallory', ['shared'], true)).toBe(6);
    expect(askedAt(quota, 'acme', ['shared'], true)).toBe(2);
  });

  test('count until their questions are over', () => {
    const quota = open();
    const asked = askedAt(quota, 'mallory', channels('own'), true);
    for (let index = 0; index < asked; index++) quota.end('mallory', `own-${index % 40}`);
    expect(askedAt(quota, 'mallory', channels('own'), true)).toBe(32);
  });
});

test('one account has half of the questions in a second where there are others', () => {
  const quota = new PollQuota(10, 0);
  quota.isOpen(1_000);
  for (let index = 0; index < 5; index++) quota.begin('acme', `channel-${index}`);
  expect(quota.waitMs('acme', 'next', { hasOthers: true })).toBeGreaterThan(0);
  expect(quota.waitMs('acme', 'next', { hasOthers: false })).toBe(0);
  expect(quota.waitMs('other', 'next', { hasOthers: true })).toBe(0);
});
