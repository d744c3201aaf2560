import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sampleAccount, sampleChannel, sampleCredential } from '../../../engine/ports/testing/samples.ts';
import { MemoryRateCounters } from '../../../stores/in-process/rate-counters.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { MOST_PAGE_BYTES } from '../list.ts';
import { ManagementFixture, OPERATOR } from '../testing/management-fixture.ts';
import { auditRoutes } from './audit.ts';
import { channelRoutes } from './channels.ts';
import { keyRoutes } from './keys.ts';
import { limitRoutes } from './limits.ts';
import { tokenRoutes } from './tokens.ts';

/*
 * Rows that predate the limits on objects and are far larger than the API accepts now: a page exceeds its byte limit by at most one of
 * them.
 */

const ROWS = 12;
const MANY = 20_000;
const MODELS = Array.from({ length: MANY }, (_, index) => `vendor/model-${index}`);
const nameOf = (index: number) => `row-${String(index).padStart(2, '0')}`;
const counters = new MemoryRateCounters({ monotonicMs: () => 0 });
const IDLE = { limiters: { runningAt: () => 0, waitingFor: () => 0 }, stated: () => [] };
const NAMES = Array.from({ length: ROWS }, (_, index) => nameOf(index));

let fixture: ManagementFixture;

beforeAll(async () => {
  fixture = await ManagementFixture.open(({ store, clock }) => [
    ...keyRoutes({ store, clock }),
    ...tokenRoutes({ store, clock }),
    ...limitRoutes({ ...store, counters, clock }),
    ...channelRoutes({
      store,
      clock,
      providers: new Map(),
      addresses: { check: async () => 'public' },
      sandbox: null,
      load: { ...IDLE, counters },
    }),
    ...auditRoutes(store),
  ]);
  const { directory, audit } = fixture.store;
  await directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acme' }));
    for (const id of NAMES) {
      const own = { accountId: 'acme', id, secretHash: id, previous: null };
      writer.putCredential(sampleCredential({ ...own, kind: 'inference', models: MODELS }));
      writer.putCredential(
        sampleCredential({ ...own, secretHash: `t-${id}`, kind: 'management', scopes: MODELS.map(() => 'usage:read') }),
      );
      writer.putChannel(sampleChannel({ id, models: Object.fromEntries(MODELS.map((model) => [model, model])) }));
    }
  });
  const actor = { kind: 'gateway', id: null, name: 'test' } as const;
  const common = { actor, atMs: 0, address: null, requestId: null, accountId: 'acme', action: 'key.update' };
  await audit.append(
    NAMES.map((objectId) => ({ ...common, objectId, before: { models: MODELS }, after: { models: MODELS } })),
  );
});
afterAll(closeTestStores);

test.each([
  ['/keys', 'id'],
  ['/tokens', 'id'],
  ['/limits/keys', 'id'],
  ['/channels', 'id'],
  ['/audit', 'object_id'],
] as const)('%s', async (path, name) => {
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | null = null; ; pages++) {
    const account: string = path === '/channels' ? '' : '&account_id=acme';
    const cursor: string = after === null ? '' : `&after=${after}`;
    const { status, body } = await fixture.ask(OPERATOR, `GET ${path}?limit=1000${account}${cursor}`);
    expect(status).toBe(200);
    const sizes = body.data.map((row: unknown) => JSON.stringify(row).length);
    const withoutLast = sizes.slice(0, -1).reduce((sum: number, size: number) => sum + size, 0);
    expect(withoutLast).toBeLessThan(MOST_PAGE_BYTES);
    seen.push(...body.data.map((row: Record<string, string>) => row[name]));
    after = body.next;
    expect(body.has_more).toBe(after !== null);
    if (after === null) break;
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen.toSorted()).toEqual(NAMES);
});
