import { afterEach, beforeEach, expect, test } from 'bun:test';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import { Limits } from '../../../engine/limits/limits.ts';
import type { RateCounters } from '../../../engine/ports/rate-counters.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleCredential } from '../../../engine/ports/testing/samples.ts';
import { MemoryRateCounters } from '../../../stores/in-process/rate-counters.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import type { ManagementCall } from '../route.ts';
import { limitRoutes } from './limits.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
const KEY_BUDGET = { amountNanoUsd: 3_000_000_000n, per: 'day', timeZone: 'Europe/Berlin' } as const;
const ACCOUNT_BUDGET = { amountNanoUsd: 50_000_000_000n, per: 'week', timeZone: 'UTC' } as const;
const limited = sampleAccount({ role: 'Partner', tokensPerMinute: 1_000, budget: ACCOUNT_BUDGET });
const keys = [
  sampleCredential({ id: 'a', requestsPerMinute: 5, limitNanoUsd: 9_000_000_000n, budget: KEY_BUDGET }),
  sampleCredential({ id: 'b', secretHash: 'cd'.repeat(32), revokedAtMs: 1 }),
];

let store: Store;
let counters: RateCounters;

beforeEach(async () => {
  store = await openTestStore();
  counters = new MemoryRateCounters({ monotonicMs: () => 0 });
  await store.directory.write('all', (writer) => {
    writer.putAccount(limited);
    writer.putAccount(sampleAccount({ id: 'free', requestsPerMinute: 7 }));
    for (const key of keys) writer.putCredential(key);
  });
});
afterEach(closeTestStores);

/** Resolves to a route's answer, after checking it against the route's schema. */
async function get(path: string, call: Partial<ManagementCall> = {}): Promise<unknown> {
  const routes = limitRoutes({ ...store, counters, clock: new FakeClock(NOW) });
  const route = routes.find((one) => one.path === path);
  // These routes read nothing else of a call.
  const answer = await route?.handle({ accountId: 'acme', query: {}, ...call } as ManagementCall);
  const body = typeof answer?.body === 'string' ? JSON.parse(answer.body) : answer?.body;
  expect(route?.answer.schema?.parse(body)).toEqual(body);
  return body;
}

test('the limits of an account show what is in effect and used', async () => {
  const limits = new Limits({ counters });
  const principal = { account: limited, credential: keys[0]! };
  for (let count = 0; count < 3; count++) await limits.admit(principal);
  const window = { startsAtMs: Date.UTC(2026, 10, 23), endsAtMs: Date.UTC(2026, 10, 30) };
  await store.ledger.lease(
    { accountId: 'acme', keyId: null, window },
    2_500_000_000n,
    1n,
    ACCOUNT_BUDGET.amountNanoUsd,
  );
  const budgets = { countedAtMs: NOW, account: window, key: null };
  await store.ledger.charge(sampleCharge({ keyId: 'a', costNanoUsd: 1_500_000_000n, atMs: NOW, budgets }));
  expect(await get('/limits')).toEqual({
    object: 'limits',
    account: 'acme',
    role: 'Partner',
    billing: 'prepaid',
    requests_per_minute: { limit: 300, used: 3, from: 'role' },
    tokens_per_minute: { limit: 1_000, used: 0 },
    max_concurrent: null,
    budget: {
      ...{ usd: '50', per: 'week', time_zone: 'UTC', spent_usd: '1.5', held_usd: '1', left_usd: '47.5' },
      ...{ starts_at: '2026-11-23T00:00:00Z', resets_at: '2026-11-30T00:00:00Z', raised_until: null },
    },
  });
  expect(await get('/limits/keys')).toMatchObject({
    data: [
      {
        ...{ id: 'a', state: 'active', requests_per_minute: { limit: 5, used: 3 } },
        ...{ limit_usd: '9', spent_usd: '1.5', left_usd: '7.5' },
        budget: { usd: '3', spent_usd: '1.5', left_usd: '1.5', resets_at: '2026-11-25T23:00:00Z' },
      },
      { id: 'b', state: 'revoked', requests_per_minute: null, limit_usd: null, left_usd: null, budget: null },
    ],
    has_more: false,
  });
  // Reading the limits has counted nothing.
  expect(await get('/limits')).toMatchObject({ requests_per_minute: { used: 3 } });
});

test('a lowered budget has nothing left, and usage is unknown without counters', async () => {
  await store.ledger.charge(sampleCharge({ keyId: 'a', costNanoUsd: 60_000_000_000n, atMs: NOW }));
  counters = { ...counters, take: () => ({ retryAfterMs: 1 }) };
  expect(await get('/limits')).toMatchObject({
    requests_per_minute: { limit: 300, used: null },
    budget: { spent_usd: '60', left_usd: '0' },
  });
  expect(await get('/limits', { accountId: 'free' })).toMatchObject({
    ...{ requests_per_minute: { limit: 7, from: 'account' }, tokens_per_minute: null, budget: null },
  });
});

test('the limits of keys are paginated', async () => {
  const first = (await get('/limits/keys', { query: { limit: 1 } })) as { data: { id: string }[]; next: string };
  const second = (await get('/limits/keys', { query: { limit: 1, after: first.next } })) as typeof first;
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['a', 'b']);
  expect(second.next).toBeNull();
  await expect(get('/limits/keys', { accountId: 'nobody' })).rejects.toThrow('nobody');
});
