import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { createAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { createChannel } from '../../../engine/admin/channels/change-channels.ts';
import { ChannelTestSlots } from '../../../engine/channel-tests/test-channel.ts';
import { RULES_OF_PROVIDERS } from '../../../engine/directory/channel-in-use.ts';
import { DirectorySource } from '../../../engine/directory/directory-source.ts';
import { RoutingMemory } from '../../../engine/health/routing-memory.ts';
import type { UpstreamRequest } from '../../../engine/ports/upstream.ts';
import { providers } from '../../../providers/index.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { withTrail } from '../../../stores/sqlite/testing/trailed-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { catalogRoutes } from './catalog.ts';
import { channelTestRoutes } from './channel-tests.ts';
import { modelRoutes } from './models.ts';
import { providerRoutes } from './providers.ts';

const KEY = 'upstream-key-of-thirty-characters';
const ACME = token('acme');
const CHANNEL = { provider: 'openai', api_key: KEY };

const SNAPSHOT = {
  ...{ atMs: 0, windowMs: 86_400_000 },
  counts: [{ modelId: 'openai/gpt-5-mini', succeeded: 3, failed: 1 }],
};

const NO_TURNS = { nowMs: () => 0, pause: async () => undefined };

let fixture: ManagementFixture;
let source: DirectorySource;
let sent: UpstreamRequest[];
let list: object;
const ask = (...args: Parameters<ManagementFixture['ask']>) => fixture.ask(...args);

const upstream = {
  interrupt() {},
  send: async (request: UpstreamRequest) => {
    sent.push(request);
    if (!request.url.endsWith('.json')) {
      return new Failure('upstream_error', { kind: 'address_refused', message: 'Not on the public internet.' });
    }
    const pieces: (Uint8Array | null)[] = [new TextEncoder().encode(JSON.stringify(list)), null];
    const read = async () => pieces.shift() ?? null;
    return { status: 200, headers: new Headers(), body: { read, readAll: async () => new Uint8Array(), cancel() {} } };
  },
};

beforeEach(async () => {
  sent = [];
  fixture = await ManagementFixture.open(({ store, clock }) => [
    ...modelRoutes({
      store,
      clock,
      providers,
      turns: NO_TURNS,
      directory: () => source.current(),
      snapshot: () => SNAPSHOT,
    }),
    ...providerRoutes(providers),
    ...catalogRoutes({ providers, upstream, clock }),
    ...channelTestRoutes({ providers, upstream, clock, slots: new ChannelTestSlots({ all: 8, perAccount: 2 }) }),
  ]);
  const { store, clock } = fixture;
  for (const id of ['acme', 'other']) await createAccount(withTrail(store), clock, { id });
  const make = (input: object) => createChannel(store.directory, providers, { ...CHANNEL, ...input });
  await make({ id: 'shared', models: { 'openai/gpt-5-mini': 'gpt-5-mini' } });
  await make({ id: 'own', owner: 'acme', models: ['acme-tuned'], base_url: 'https://own.example/v1' });
  await make({ id: 'foreign', owner: 'other', models: ['other-tuned', 'openai/gpt-5-mini'] });
  const memory = new RoutingMemory(clock, Math.random);
  const ports = { store: store.directory, providers, memory, servers: RULES_OF_PROVIDERS };
  source = await DirectorySource.open({ ...ports, logger: { warn: () => undefined }, turns: NO_TURNS });
});
afterEach(closeTestStores);

const ids = async (requester: Parameters<typeof ask>[0], query: string) =>
  (await ask(requester, `GET /models${query}`)).body.data.map(({ id }: { id: string }) => id);

test('an account sees the models that it can use, and no channels of others', async () => {
  expect(await ids(ACME, '')).toEqual(['acme-tuned', 'openai/gpt-5-mini']);
  expect(await ids(OPERATOR, '')).toEqual(['acme-tuned', 'openai/gpt-5-mini', 'other-tuned']);
  expect(await ids(OPERATOR, '?account_id=other&q=TUNED')).toEqual(['other-tuned']);
  expect(await ids(ACME, '?capability=tools')).toEqual(['openai/gpt-5-mini']);
  expect(await ids(ACME, '?operation=embeddings')).toEqual([]);
  const rates = (await ask(ACME, 'GET /models')).body.data.map(
    (model: Record<string, unknown>) => model.success_rate_24h,
  );
  expect(rates).toEqual([null, 0.75]);
  const shown = await ask(ACME, 'GET /models/openai%2Fgpt-5-mini');
  expect([shown.body.id, shown.body.channels, 'layers' in shown.body]).toEqual(['openai/gpt-5-mini', [], false]);
  expect((await ask(ACME, 'GET /models/acme-tuned')).body.channels).toEqual(['own']);
  expect((await ask(ACME, 'GET /models/other-tuned')).status).toBe(404);
  expect((await ask(ACME, 'PATCH /models/acme-tuned', { status: 'hold' })).status).toBe(403);
});

test('operators state facts over the lower layers with a version check, and undo them', async () => {
  const path = '/models/openai%2Fgpt-5-mini';
  const read = await ask(OPERATOR, `GET ${path}`);
  expect(read.body.layers).toMatchObject({ shipped: { id: 'gpt-5-mini' }, synced: null, stated: null });
  expect(read.body.price_layer).toBe('shipped');
  const etag = { 'if-match': read.headers.get('etag') ?? '' };
  const changed = await ask(OPERATOR, `PATCH ${path}`, { status: 'hidden', pricing: { input_per_1m: '9' } }, etag);
  expect(changed.body).toMatchObject({
    status: 'hidden',
    pricing: { input_per_1m: '9' },
    price_layer: 'stated',
    yours: { managed_by: 'api' },
  });
  expect((await ask(OPERATOR, `PATCH ${path}`, { status: 'hold' }, etag)).status).toBe(412);
  expect(await ids(OPERATOR, '?status=hidden')).toEqual(['openai/gpt-5-mini']);
  expect(await ids(OPERATOR, '?declared=false&limit=1')).toEqual(['acme-tuned']);
  expect((await ask(OPERATOR, `PATCH ${path}`, { pricing: { input_per_1m: 'x' } })).body.error.param).toBe(
    'pricing.input_per_1m',
  );
  expect((await ask(OPERATOR, `DELETE ${path}`)).status).toBe(204);
  expect((await ask(OPERATOR, `GET ${path}`)).body.layers.stated).toBeNull();
  expect((await ask(OPERATOR, `DELETE ${path}`)).status).toBe(404);
});

test('providers are listed with everything that a form needs, and a tag', async () => {
  const { body } = await ask(ACME, 'GET /providers?limit=1000');
  expect(body.data).toHaveLength(providers.size);
  const azure = await ask(ACME, 'GET /providers/azure-openai');
  expect(azure.body).toMatchObject({
    base_url_required: false,
    api_key: { required: true },
    settings: { type: 'object', properties: { resource: { type: 'string' } }, additionalProperties: false },
  });
  expect(azure.body.operations).toContain('images.edits');
  const etag = azure.headers.get('etag') ?? '';
  expect((await ask(ACME, 'GET /providers/azure-openai', undefined, { 'if-none-match': etag })).status).toBe(304);
  expect((await ask(ACME, 'GET /providers/opnai')).body.error.message).toContain('did you mean "openai"');
});

test('a public list is previewed, then imported as previewed or not at all', async () => {
  fixture.clock.advance(Date.UTC(2027, 0, 1) - fixture.clock.nowMs());
  const price = (usd: number) => ({
    'gpt-5-mini': { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: usd, output_cost_per_token: 2e-6 },
  });
  list = price(3e-7);
  const look = { source: 'https://lists.example/prices.json', prices_only: true };
  const seen = await ask(OPERATOR, 'POST /catalog/sync', look);
  expect(seen.body).toMatchObject({ applied: false, changes: 1, changed: [{ provider: 'openai', id: 'gpt-5-mini' }] });
  expect(sent.every(({ isGuarded }) => isGuarded === true)).toBe(true);
  const apply = { ...look, apply: true, plan: seen.body.plan };
  list = price(4e-7);
  expect((await ask(OPERATOR, 'POST /catalog/sync', apply)).status).toBe(412);
  list = price(3e-7);
  expect((await ask(OPERATOR, 'POST /catalog/sync', apply)).body).toMatchObject({ applied: true, changes: 1 });
  expect((await ask(OPERATOR, 'POST /catalog/sync', look)).body).toMatchObject({ changes: 0 });
  const [last] = await fixture.store.audit.page({ order: 'newest', after: null, limit: 1 });
  expect(last).toMatchObject({ action: 'catalog.sync', actor: { kind: 'person' } });
  for (const [fields, param] of [
    [{ apply: true, plan: undefined }, 'plan'],
    [{ source: 'file:///etc/passwd' }, 'source'],
    [{ as_of: '2026-02-30' }, 'as_of'],
    [{ add: true }, 'add'],
  ] as const) {
    expect((await ask(OPERATOR, 'POST /catalog/sync', { ...look, ...fields })).body.error.param).toBe(param);
  }
});

test('a channel is tested only by its account, guarded, with limited concurrency', async () => {
  const tested = await ask(ACME, 'POST /channels/own/test', { model: 'acme-tuned' });
  expect(tested.body).toMatchObject({ object: 'channel_test', ok: false, channel: 'own' });
  expect(tested.body.tries.at(-1).error).toMatchObject({ kind: 'address_refused' });
  expect(sent[0]?.isGuarded).toBe(true);
  expect((await ask(ACME, 'POST /channels/foreign/test')).status).toBe(404);
  expect((await ask(ACME, 'POST /channels/own/test', { model: 'nothing' })).body.error.param).toBe('model');
  const three = await Promise.all([1, 2, 3].map(() => ask(ACME, 'POST /channels/own/test', { model: 'acme-tuned' })));
  expect(three.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
});
