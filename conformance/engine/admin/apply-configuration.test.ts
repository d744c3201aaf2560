import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DEFAULT_QUOTAS } from '../../../src/domain/access/object-quotas.ts';
import { DEFAULT_TIMEOUTS } from '../../../src/domain/catalog/channel.ts';
import { NO_LIMITS } from '../../../src/domain/catalog/channel-limits.ts';
import { DEFAULT_BREAKER } from '../../../src/domain/routing/breaker-settings.ts';
import { hashSecret } from '../../../src/engine/access/secrets.ts';
import { AdminError } from '../../../src/engine/admin/admin-error.ts';
import { applyConfiguration } from '../../../src/engine/admin/configuration/apply-configuration.ts';
import {
  type Configuration,
  type ConfiguredAccount,
  type ConfiguredChannel,
  type ConfiguredCredential,
  type ConfiguredModel,
  NO_ALERTS,
} from '../../../src/engine/admin/configuration/configuration.ts';
import { revokeKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import type { DirectoryStore } from '../../../src/engine/ports/directory-store.ts';
import { DEFAULT_EXPORTS } from '../../../src/engine/ports/export-destination.ts';
import { DEFAULT_MEDIA_SETTINGS } from '../../../src/engine/ports/media-fetcher.ts';
import { DEFAULT_MEDIA_STORE } from '../../../src/engine/ports/media-store.ts';
import { sampleAccount } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_LOGS } from '../../../src/engine/settings/logs.ts';
import {
  DEFAULT_BATCHES,
  DEFAULT_BILLING,
  DEFAULT_BRANDING,
  DEFAULT_CACHE,
  DEFAULT_LISTING,
  DEFAULT_RETENTION,
  DEFAULT_ROUTING,
  DEFAULT_SEARCH,
  DEFAULT_SIGN_IN,
  DEFAULT_TASKS,
  DEFAULT_USAGE,
} from '../../../src/engine/settings/settings.ts';
import { DEFAULT_TELEMETRY } from '../../../src/engine/settings/telemetry.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

let store: DirectoryStore;
let clock: FakeClock;

beforeEach(async () => {
  store = (await openTestStore()).directory;
  clock = new FakeClock();
});
afterEach(closeTestStores);

const channel = (id: string, change: Partial<ConfiguredChannel> = {}): Omit<ConfiguredChannel, 'apiKeys'> => ({
  id,
  name: id,
  provider: 'openai',
  baseUrl: null,
  apiKey: 'upstream-key',
  settings: {},
  formats: null,
  priority: 0,
  weight: 1,
  owner: null,
  timeouts: DEFAULT_TIMEOUTS,
  models: { m: 'm' },
  costs: {},
  breaker: DEFAULT_BREAKER,
  forwardIds: null,
  limits: null,
  queue: null,
  followsProviderLimits: true,
  relaysBatches: false,
  ...change,
});

/** The initial state of a channel, which no file can state. */
const FRESH = { enabled: true, block: null, resetAtMs: null };

const model = (id: string, change: Partial<ConfiguredModel> = {}): ConfiguredModel => ({
  id,
  name: null,
  description: null,
  category: 'chat',
  ownedBy: 'openai',
  status: 'public',
  pricing: null,
  strategy: null,
  cache: null,
  tags: [],
  capabilities: null,
  operations: null,
  rules: null,
  fallbacks: [],
  batchPricePercent: null,
  ...change,
});

const key = (id: string, change: Partial<ConfiguredCredential> = {}): ConfiguredCredential => ({
  id,
  kind: 'inference',
  name: id,
  secret: `sk-secret-${id}`,
  limitNanoUsd: 5n,
  budget: null,
  models: ['m'],
  requestsPerMinute: null,
  capture: null,
  usageAccess: 'key',
  expiresAtMs: null,
  scopes: null,
  ...change,
});

const account = (id: string, change: Partial<ConfiguredAccount> = {}): ConfiguredAccount => ({
  id,
  name: id,
  role: 'User',
  admin: false,
  billing: 'prepaid',
  requestsPerMinute: null,
  tokensPerMinute: null,
  maxConcurrent: null,
  budget: null,
  strategy: null,
  cache: null,
  capture: 'none',
  captureDays: null,
  quotas: null,
  billingDetails: null,
  fallbacks: [],
  openingBalanceNanoUsd: null,
  credentials: [key(`${id}-ci`)],
  ...change,
});

const configuration = (change: Partial<Configuration> = {}): Configuration => ({
  path: 'switchyard.yaml',
  written: {},
  variables: {},
  channels: [channel('main')],
  models: [model('m', { pricing: { input_per_1m: '0.15' } })],
  accounts: [account('acme')],
  sandbox: null,
  routing: DEFAULT_ROUTING,
  billing: DEFAULT_BILLING,
  listing: DEFAULT_LISTING,
  server: {
    maxBodyBytes: null,
    maxUploadBytes: null,
    bodyMemoryBytes: null,
    uploadDiskBytes: null,
    drainMs: null,
    shutdownGraceMs: null,
    shutdownWriteMs: null,
    metricsToken: null,
    trustedProxies: [],
    corsOrigins: null,
    wrongKeysPerMinute: null,
    managementRequestsPerMinute: null,
    anonymousRequestsPerMinute: null,
    anonymousRequestsInFlight: null,
    pingIntervalMs: null,
    maxSocketsPerAccount: null,
    maxHeldAnswerBytes: null,
    sharedStateBytes: null,
    publicUrl: null,
    maxResponsesPerAccount: null,
    maxResponseBytesPerAccount: null,
  },
  media: DEFAULT_MEDIA_SETTINGS,
  mediaStore: DEFAULT_MEDIA_STORE,
  tasks: DEFAULT_TASKS,
  batches: DEFAULT_BATCHES,
  search: DEFAULT_SEARCH,
  retention: DEFAULT_RETENTION,
  quotas: DEFAULT_QUOTAS,
  usage: DEFAULT_USAGE,
  cache: DEFAULT_CACHE,
  signIn: DEFAULT_SIGN_IN,
  mail: null,
  alerts: NO_ALERTS,
  branding: DEFAULT_BRANDING,
  exports: DEFAULT_EXPORTS,
  telemetry: DEFAULT_TELEMETRY,
  logs: DEFAULT_LOGS,
  ...change,
});

const apply = (change: Partial<Configuration> = {}) => applyConfiguration(store, clock, configuration(change));

test('creates everything in the file', async () => {
  expect(await apply()).toEqual({
    created: ['account acme', 'key acme/acme-ci', 'model m', 'channel main'],
    updated: [],
    unchanged: [],
    removed: [],
    kept: [],
    notices: [],
  });
  const rows = await store.read('all');
  expect(rows.channels).toEqual([{ ...channel('main'), ...FRESH, origin: 'config' }]);
  expect(rows.credentials[0]).toMatchObject({ secretHash: hashSecret('sk-secret-acme-ci'), accountId: 'acme' });
  expect(rows.credentials[0]).not.toHaveProperty('secret');
  expect(rows.models[0]).not.toHaveProperty('implied');
});

describe('a configuration that would remove most objects of a large set', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => String(at));
  const channels = (count: number) => many(count).map((id) => channel(id));

  test.each([
    ['channels', { channels: channels(497) }, { channels: [] }, 'would remove 497 of 497 channels'],
    ['models', { models: many(12).map((id) => model(id)) }, {}, 'would remove 12 of 12 models'],
    [
      'keys',
      { accounts: [account('acme', { credentials: many(10).map((id) => key(id)) })] },
      { accounts: [] },
      '10 keys',
    ],
    ['part of one kind', { channels: channels(20) }, { channels: channels(9) }, 'would remove 11 of 20 channels'],
    [
      'a few of every kind',
      { channels: channels(6), models: many(6).map((id) => model(id)) },
      { channels: channels(1), models: [] },
      'would remove 11 of 13 objects',
    ],
  ])('is refused and changes nothing: %s', async (_what, before, after, message) => {
    await apply(before);
    const rows = await store.read('all');
    const refused = apply(after).then(
      () => 'applied',
      (error: Error) => error.message,
    );
    expect(await refused).toContain(message);
    expect(await store.read('all')).toEqual(rows);
  });

  test('is applied if removals are allowed', async () => {
    await apply({ channels: channels(497) });
    const { removed } = await applyConfiguration(store, clock, configuration(), { allowRemovals: true });
    expect(removed).toHaveLength(497);
  });

  test('may remove half of them, not counting those of other origins', async () => {
    await apply({ channels: channels(20) });
    expect((await apply({ channels: channels(10) })).removed).toHaveLength(10);
    expect((await apply({ channels: channels(5) })).removed).toHaveLength(5);
    expect((await apply({ channels: [] })).removed).toHaveLength(5);
  });
});

const anyConfiguration: fc.Arbitrary<Configuration> = fc
  .record({
    channels: fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c'), weight: fc.nat() }), {
      selector: (c) => c.id,
    }),
    models: fc.uniqueArray(fc.record({ id: fc.constantFrom('m', 'n'), status: fc.constantFrom('public', 'hidden') }), {
      selector: (m) => m.id,
    }),
    accounts: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('x', 'y'),
        admin: fc.boolean(),
        credentials: fc.uniqueArray(fc.constantFrom('1', '2'), {}),
      }),
      { selector: (a) => a.id },
    ),
  })
  .map(({ channels, models, accounts }) =>
    configuration({
      channels: channels.map(({ id, weight }) => channel(id, { weight })),
      models: models.map(({ id, status }) => model(id, { status: status as 'public' })),
      accounts: accounts.map(({ id, admin, credentials }) =>
        account(id, {
          admin,
          credentials: credentials.map((name) => key(name, { secret: `sk-${id}-${name}-secret` })),
        }),
      ),
    }),
  );

test('applying a configuration twice writes nothing the second time, whatever came before', async () => {
  await fc.assert(
    fc.asyncProperty(anyConfiguration, anyConfiguration, async (earlier, later) => {
      const fresh = (await openTestStore()).directory;
      await applyConfiguration(fresh, clock, earlier);
      clock.advance(1);
      await applyConfiguration(fresh, clock, later);
      const [rows, version] = [await fresh.read('all'), await fresh.state()];
      clock.advance(1);
      const again = await applyConfiguration(fresh, clock, later);
      expect([again.created, again.updated, again.removed]).toEqual([[], [], []]);
      expect(await fresh.state()).toEqual(version);
      expect(await fresh.read('all')).toEqual(rows);
    }),
  );
});

test('the result of a configuration does not depend on the one before', async () => {
  const live = async (...steps: Configuration[]) => {
    const fresh = (await openTestStore()).directory;
    for (const step of steps) await applyConfiguration(fresh, new FakeClock(), step);
    const rows = await fresh.read('all');
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    return {
      channels: [...rows.channels].sort(byId),
      models: [...rows.models].sort(byId),
      keys: rows.credentials
        .filter((row) => row.revokedAtMs === null)
        .map((row) => row.secretHash)
        .sort(),
    };
  };
  await fc.assert(
    fc.asyncProperty(anyConfiguration, anyConfiguration, async (earlier, later) => {
      expect(await live(earlier, later)).toEqual(await live(later));
    }),
  );
});

test('removed channels and models are deleted, keys revoked, and the account kept', async () => {
  await apply();
  clock.advance(5);
  const result = await apply({ channels: [], models: [], accounts: [] });
  expect(result).toMatchObject({
    removed: ['key acme/acme-ci', 'model m', 'channel main'],
    kept: ['account acme'],
  });
  const rows = await store.read('all');
  expect(rows.channels).toEqual([]);
  expect(rows.credentials).toMatchObject([{ revokedAtMs: clock.nowMs(), origin: 'config' }]);
  expect(rows.accounts).toHaveLength(1);
});

test('objects of operators and the environment are left alone', async () => {
  await store.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'hers', origin: 'operator' })));
  await store.write('all', (writer) => {
    writer.putChannel({ ...channel('operators'), ...FRESH, origin: 'operator' });
    writer.putChannel({ ...channel('environments'), ...FRESH, origin: 'environment' });
  });
  await apply({ channels: [], models: [], accounts: [] });
  expect((await store.read('all')).channels.map((row) => row.id)).toEqual(['environments', 'operators']);
});

test('a changed value keeps the creation time and the switch', async () => {
  await apply();
  const madeAtMs = clock.nowMs();
  await store.write('all', (writer) => {
    writer.putChannel({ ...channel('main'), ...FRESH, enabled: false, origin: 'config' });
  });
  clock.advance(1000);
  const result = await apply({
    channels: [channel('main', { weight: 7 })],
    models: [model('m', { status: 'hold' })],
    accounts: [account('acme', { role: 'VIP', credentials: [key('acme-ci', { limitNanoUsd: null })] })],
  });
  expect(result.updated).toEqual(['account acme', 'key acme/acme-ci', 'model m', 'channel main']);
  const rows = await store.read('all');
  expect(rows.channels[0]).toMatchObject({ weight: 7, enabled: false });
  for (const row of [rows.models[0], rows.accounts[0], rows.credentials[0]]) expect(row?.createdAtMs).toBe(madeAtMs);
});

test('a key that returns to the file is active again', async () => {
  await apply();
  await apply({ accounts: [account('acme', { credentials: [] })] });
  await apply();
  expect((await store.read('all')).credentials).toMatchObject([{ revokedAtMs: null }]);
});

test('a key that an operator revoked stays revoked until the file gives it a new secret', async () => {
  await apply();
  await revokeKey(store, clock, 'acme-ci');
  const again = await apply();
  expect(again.notices).toEqual(['key acme/acme-ci stays revoked: give it a new secret or remove it from the file']);
  expect((await store.read('all')).credentials[0]?.revokedAtMs).not.toBeNull();
  await apply({ accounts: [account('acme', { credentials: [key('acme-ci', { secret: 'sk-another-one' })] })] });
  expect((await store.read('all')).credentials).toMatchObject([{ revokedAtMs: null, origin: 'config' }]);
});

test('a secret cannot move to another key; the refusal changes nothing and hides the secret', async () => {
  await apply();
  const before = await store.read('all');
  const moved = account('acme', { credentials: [key('renamed', { secret: 'sk-secret-acme-ci' })] });
  const error = await apply({ accounts: [moved] }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AdminError);
  expect((error as AdminError).message).toBe(
    'secret: the secret of key acme/renamed belongs to key acme/acme-ci; keep that id or choose a new secret',
  );
  expect(await store.read('all')).toEqual(before);
});

describe('the learned state of a channel', () => {
  const blocked = { enabled: false, block: { atMs: 5, reason: 'The key was refused.' }, resetAtMs: 7 };

  test('stays when the file is applied again, which writes nothing', async () => {
    await apply();
    await store.write('all', (writer) => writer.putChannel({ ...channel('main'), ...blocked, origin: 'config' }));
    const version = await store.state();
    await apply();
    expect(await store.state()).toEqual(version);
  });

  test.each<[string, Partial<ConfiguredChannel>]>([
    ['weight', { weight: 7 }],
    ['models', { models: { m: 'other' } }],
    ['forwardIds', { forwardIds: ['trace'] }],
    ['limits', { limits: { ...NO_LIMITS, maxConcurrent: 3, models: {} } }],
    ['queue', { queue: { maxWaiting: 5, maxWaitMs: 1_000 } }],
    ['followsProviderLimits', { followsProviderLimits: false }],
    ['relaysBatches', { relaysBatches: true }],
    ['breaker', { breaker: { ...DEFAULT_BREAKER, probes: 1 } }],
    ['costs', { costs: { m: 'free' } }],
    ['the same settings in another order', { settings: { b: [2], a: 1 } }],
  ])('stays when the file changes %s', async (_what, change) => {
    const settings = { a: 1, b: [2] };
    await store.write('all', (writer) =>
      writer.putChannel({ ...channel('main', { settings }), ...blocked, origin: 'config' }),
    );
    await apply({ channels: [channel('main', { settings, ...change })] });
    expect((await store.read('all')).channels[0]).toMatchObject({ ...change, ...blocked });
  });

  test.each<[string, Partial<ConfiguredChannel>]>([
    ['api_key', { apiKey: 'another-key' }],
    ['base_url', { baseUrl: 'https://other.example/v1' }],
    ['provider', { provider: 'other' }],
    ['settings', { settings: { region: 'eu' } }],
  ])("loses its block with a new %s, and the operator's switch stays", async (_what, change) => {
    await store.write('all', (writer) => writer.putChannel({ ...channel('main'), ...blocked, origin: 'config' }));
    await apply({ channels: [channel('main', change)] });
    expect((await store.read('all')).channels[0]).toMatchObject({ ...change, ...blocked, block: null });
  });
});
