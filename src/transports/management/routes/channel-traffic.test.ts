import { afterEach, beforeEach, expect, test } from 'bun:test';
import { sampleAccount, sampleChannel, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { channelTrafficRoutes } from './channel-traffic.ts';

const HOUR_MS = 3_600_000;
const ACME = token('acme');

let fixture: ManagementFixture;
/** The beginning of the current hour. */
let hourMs: number;

beforeEach(async () => {
  fixture = await ManagementFixture.open(({ store, clock }) => channelTrafficRoutes({ store, clock }));
  const { clock, store } = fixture;
  hourMs = Math.floor(clock.nowMs() / HOUR_MS) * HOUR_MS;
  await store.directory.write('all', (writer) => {
    for (const id of ['acme', 'other']) writer.putAccount(sampleAccount({ id }));
    writer.putChannel(sampleChannel({ id: 'shared', priority: 2 }));
    writer.putChannel(sampleChannel({ id: 'idle', priority: 1 }));
    writer.putChannel(sampleChannel({ id: 'own', owner: 'acme', priority: 3 }));
    writer.putChannel(sampleChannel({ id: 'secret', owner: 'other', priority: 4 }));
  });
  const line = (channelId: string, hoursAgo: number, latencyMs: number, fields = {}) => {
    const atMs = hourMs - hoursAgo * HOUR_MS;
    const requestId = `req_${Bun.randomUUIDv7('hex', atMs)}`;
    store.requestLog.append(sampleRecord({ requestId, atMs, channelId, latencyMs, firstByteMs: 10, ...fields }));
  };
  line('shared', 23, 400);
  line('shared', 2, 100, { accountId: 'other' });
  line('shared', 2, 9_000, { status: 502, errorCode: 'upstream_error' });
  line('shared', 24, 70_000);
  line('own', 1, 250);
  line('secret', 1, 500, { accountId: 'other' });
  await store.requestLog.flush();
});
afterEach(closeTestStores);

const traffic = async (...args: Parameters<ManagementFixture['ask']>) => (await fixture.ask(...args)).body.data;

test('each channel has its hours, its errors and the latency of most requests', async () => {
  const all = await traffic(OPERATOR, 'GET /usage/channels?scope=platform');
  expect(all.map(({ channel }: { channel: string }) => channel)).toEqual(['idle', 'shared']);
  const [idle, shared] = all;
  expect(idle).toMatchObject({ requests: 0, errors: 0, cost_usd: '0', latency_p95_ms: null });
  expect(shared).toMatchObject({
    ...{ object: 'channel_traffic', from: new Date(hourMs - 23 * HOUR_MS).toISOString().replace('.000', '') },
    ...{ requests: 3, errors: 1, first_byte_ms: 10 },
  });
  expect(shared.latency_p95_ms).toBeWithin(6_800, 10_001);
  expect(shared.requests_by_hour).toEqual([1, ...Array(20).fill(0), 2, 0, 0]);
  expect(shared.errors_by_hour).toEqual([...Array(21).fill(0), 1, 0, 0]);
});

test('an account sees its own channels only', async () => {
  const own = await traffic(ACME, 'GET /usage/channels');
  expect(own).toMatchObject([{ channel: 'own', requests: 1, latency_p95_ms: 250 }]);
});

test('a page continues where the last one ended', async () => {
  const first = (await fixture.ask(OPERATOR, 'GET /usage/channels?limit=3')).body;
  expect([first.data.length, first.has_more]).toEqual([3, true]);
  const next = await fixture.ask(OPERATOR, `GET /usage/channels?limit=3&after=${first.next}`);
  expect(next.body.data.map(({ channel }: { channel: string }) => channel)).toEqual(['secret']);
  expect(next.body.has_more).toBe(false);
});
