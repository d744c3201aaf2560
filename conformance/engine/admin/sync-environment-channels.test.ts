import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { DEFAULT_TIMEOUTS } from '../../../src/domain/catalog/channel.ts';
import { sampleCatalogModel } from '../../../src/domain/catalog/testing/sample-catalog-model.ts';
import { DEFAULT_BREAKER } from '../../../src/domain/routing/breaker-settings.ts';
import {
  type EnvironmentInput,
  syncEnvironmentChannels,
  syncSandboxChannel,
} from '../../../src/engine/admin/channels/sync-environment-channels.ts';
import type { DirectoryStore } from '../../../src/engine/ports/directory-store.ts';
import { sampleModel } from '../../../src/engine/ports/testing/samples.ts';
import type { ProviderManifest } from '../../../src/providers/manifest.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

let store: DirectoryStore;

beforeEach(async () => {
  store = (await openTestStore()).directory;
});
afterEach(closeTestStores);

const manifest = (name: string, change: Partial<ProviderManifest> = {}): ProviderManifest => ({
  name,
  label: name.toUpperCase(),
  baseUrl: `https://${name}.example/v1`,
  keyVariables: [`${name.toUpperCase()}_API_KEY`],
  keyRequired: true,
  formats: [{ format: 'openai-chat', path: '/chat/completions' }],
  models: () => [sampleCatalogModel({ id: `${name}-model` })],
  ...change,
});

const manifests = [
  manifest('openai', {
    models: () => [sampleCatalogModel({ id: 'gpt' }), sampleCatalogModel({ id: 'embed', category: 'embedding' })],
  }),
  manifest('gemini', { keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] }),
  manifest('azure', { settings: z.strictObject({ api_version: z.string() }) }),
  manifest('custom', { baseUrl: null }),
  manifest('modelless', { models: () => [] }),
  manifest('ollama', { keyVariables: [], keyRequired: false, models: () => [] }),
  manifest('sandbox', { keyVariables: [], keyRequired: false, baseUrl: null }),
];
const providers = new Map(manifests.map((entry) => [entry.name, entry]));

const sync = (environment: EnvironmentInput['environment'], rest: Partial<EnvironmentInput> = {}) =>
  syncEnvironmentChannels(store, { environment, providers, discovered: [], ...rest });

const channels = async () => (await store.read('all')).channels.map((row) => row.id);
const models = async () => (await store.read('all')).channels.flatMap((row) => Object.keys(row.models));

const operatorsChannel = async (id: string, origin: 'operator' | 'config', enabled = true) => {
  await store.write('all', (writer) => {
    writer.putChannel({
      id,
      name: id,
      provider: 'openai',
      baseUrl: null,
      apiKey: 'k',
      settings: {},
      formats: null,
      priority: 3,
      weight: 1,
      owner: null,
      timeouts: { ...DEFAULT_TIMEOUTS, connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
      models: {},
      costs: {},
      breaker: DEFAULT_BREAKER,
      forwardIds: null,
      limits: null,
      queue: null,
      followsProviderLimits: true,
      relaysBatches: false,
      enabled,
      block: null,
      resetAtMs: null,
      origin,
    });
  });
};

describe('keys in the environment', () => {
  test('make a channel with the catalog models of the provider', async () => {
    expect((await sync({ OPENAI_API_KEY: ' sk-up ' })).created).toEqual(['openai']);
    const rows = await store.read('all');
    expect(rows.channels).toMatchObject([
      { id: 'openai', name: 'OPENAI', apiKey: 'sk-up', baseUrl: null, origin: 'environment', enabled: true },
    ]);
    expect(rows.channels[0]?.models).toEqual({ gpt: 'gpt', embed: 'embed' });
    expect(rows.models).toEqual([]);
  });

  test('keep the priority that an operator set', async () => {
    await sync({ OPENAI_API_KEY: 'sk-up' });
    await store.write('all', (writer) => {
      for (const channel of writer.read().channels) writer.putChannel({ ...channel, priority: 7 });
    });
    await sync({ OPENAI_API_KEY: 'sk-rotated' });
    expect((await store.read('all')).channels).toMatchObject([{ apiKey: 'sk-rotated', priority: 7 }]);
  });

  test('also serve the models of a synced public list', async () => {
    const synced = { provider: 'openai', id: 'gpt-next', facts: {}, source: { url: null, date: null } };
    await store.write('all', (writer) => writer.putSyncedModel(synced));
    await sync({ OPENAI_API_KEY: 'a' });
    expect(await models()).toEqual(['gpt', 'embed', 'gpt-next']);
  });

  test('remove the catalog rows that earlier versions wrote', async () => {
    const earlier = sampleModel({ id: 'gpt', origin: 'environment' });
    await store.write('all', (writer) => writer.putModel(earlier));
    await sync({ OPENAI_API_KEY: 'a' });
    expect((await store.read('all')).models).toEqual([]);
  });

  test('use the first variable that is set and not empty', async () => {
    await sync({ GEMINI_API_KEY: '', GOOGLE_API_KEY: 'second' });
    expect((await store.read('all')).channels).toMatchObject([{ id: 'gemini', apiKey: 'second' }]);
  });

  test('write nothing for an unchanged environment', async () => {
    await sync({ OPENAI_API_KEY: 'a' });
    const version = await store.state();
    expect(await sync({ OPENAI_API_KEY: 'a' })).toMatchObject({ created: [], updated: [], unchanged: ['openai'] });
    expect(await store.state()).toEqual(version);
  });

  test('update the channel when they change, and remove it with its models when they go', async () => {
    await sync({ OPENAI_API_KEY: 'a', GEMINI_API_KEY: 'g' });
    expect((await sync({ OPENAI_API_KEY: 'b', GEMINI_API_KEY: 'g' })).updated).toEqual(['openai']);
    expect((await sync({ GEMINI_API_KEY: 'g' })).removed).toEqual(['openai']);
    expect(await models()).toEqual(['gemini-model']);
  });

  test('report a provider that needs more than a key, without creating a channel', async () => {
    const result = await sync({ AZURE_API_KEY: 'a', CUSTOM_API_KEY: 'c', MODELLESS_API_KEY: 'm' });
    expect(result.created).toEqual(['sandbox']);
    expect(result.notices).toEqual([
      'AZURE: a key alone is not enough: configure a channel with settings',
      'CUSTOM: a key alone is not enough: configure a channel with base_url',
      'MODELLESS: no models are known for it: configure a channel with models',
    ]);
  });

  describe("a channel whose provider has refused the gateway's key", () => {
    const blocked = { enabled: false, block: { atMs: 5, reason: 'The key was refused.' }, resetAtMs: 7 };
    const block = () =>
      store.write('all', (writer) => {
        for (const row of writer.read().channels) writer.putChannel({ ...row, ...blocked });
      });

    test('stays blocked while the key is unchanged, and nothing is written', async () => {
      await sync({ OPENAI_API_KEY: 'a' }, { sandbox: false });
      await block();
      const version = await store.state();
      await sync({ OPENAI_API_KEY: 'a' }, { sandbox: false });
      await syncSandboxChannel(store, { providers, sandbox: false });
      expect(await store.state()).toEqual(version);
      expect((await store.read('all')).channels).toMatchObject([blocked]);
    });

    test("is unblocked by a new key; the operator's switch stays", async () => {
      await sync({ OPENAI_API_KEY: 'a' }, { sandbox: false });
      await block();
      expect((await sync({ OPENAI_API_KEY: 'b' }, { sandbox: false })).updated).toEqual(['openai']);
      expect((await store.read('all')).channels).toMatchObject([{ ...blocked, block: null, apiKey: 'b' }]);
    });
  });

  test('leave a disabled channel disabled, and ids taken by an operator alone', async () => {
    await sync({ OPENAI_API_KEY: 'a' });
    await store.write('all', (writer) => {
      for (const row of writer.read().channels) writer.putChannel({ ...row, enabled: false });
    });
    await operatorsChannel('gemini', 'operator');
    const result = await sync({ OPENAI_API_KEY: 'a', GEMINI_API_KEY: 'g' });
    expect(result.notices).toEqual(['gemini: the channel "gemini" already exists and is unchanged']);
    expect((await store.read('all')).channels).toMatchObject([{ origin: 'operator', priority: 3 }, { enabled: false }]);
  });

  test('create no channel once the configuration has one', async () => {
    await sync({ OPENAI_API_KEY: 'a' });
    await operatorsChannel('main', 'config');
    expect((await sync({ OPENAI_API_KEY: 'a' })).removed).toEqual(['openai']);
    expect(await channels()).toEqual(['main']);
  });
});

describe('discovered providers', () => {
  const ollama = { provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['llama3.2'] };

  test('create a channel at their address with the models they reported', async () => {
    await sync({}, { discovered: [ollama] });
    expect((await store.read('all')).channels).toMatchObject([
      { id: 'ollama', baseUrl: ollama.baseUrl, apiKey: null, models: { 'llama3.2': 'llama3.2' } },
    ]);
    expect((await sync({})).removed).toEqual(['ollama']);
  });

  test('create none without a model', async () => {
    await sync({}, { discovered: [{ ...ollama, models: [] }] });
    expect(await channels()).toEqual(['sandbox']);
  });
});

test('a built-in provider is added beside others, keeps the sandbox, and leaves a configuration alone', async () => {
  const builtIn = manifest('within', { keyVariables: [], keyRequired: false, isBuiltIn: true });
  const withIt = { providers: new Map([...providers, ['within', builtIn]]) };
  await sync({}, withIt);
  expect(await channels()).toEqual(['sandbox', 'within']);
  await sync({ OPENAI_API_KEY: 'a' }, withIt);
  expect(await channels()).toEqual(['openai', 'within']);
  await syncSandboxChannel(store, withIt);
  expect(await channels()).toEqual(['openai', 'within']);
  await operatorsChannel('main', 'config');
  await sync({ OPENAI_API_KEY: 'a' }, withIt);
  expect(await channels()).toEqual(['main']);
});

describe('the sandbox', () => {
  test('exists alone and is removed when a real channel is added', async () => {
    await sync({});
    expect(await models()).toEqual(['sandbox-model']);
    expect((await sync({ OPENAI_API_KEY: 'a' })).removed).toEqual(['sandbox']);
    expect(await models()).toEqual(['gpt', 'embed']);
  });

  test('stays beside others if requested, and never exists if forbidden', async () => {
    await sync({ OPENAI_API_KEY: 'a' }, { sandbox: true });
    expect(await channels()).toEqual(['openai', 'sandbox']);
    await sync({}, { sandbox: false });
    expect(await channels()).toEqual([]);
  });

  test('returns when every other channel is disabled', async () => {
    await operatorsChannel('main', 'operator', false);
    await sync({});
    expect(await channels()).toEqual(['main', 'sandbox']);
  });

  test('can be added or removed without the environment', async () => {
    await sync({ OPENAI_API_KEY: 'a' });
    await syncSandboxChannel(store, { providers, sandbox: true });
    expect(await channels()).toEqual(['openai', 'sandbox']);
    const version = await store.state();
    await syncSandboxChannel(store, { providers, sandbox: true });
    expect(await store.state()).toEqual(version);
    await syncSandboxChannel(store, { providers });
    expect([await channels(), await models()]).toEqual([['openai'], ['gpt', 'embed']]);
  });
});
