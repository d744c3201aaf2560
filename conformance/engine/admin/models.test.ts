import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createChannel } from '../../../src/engine/admin/channels/change-channels.ts';
import { applyConfiguration } from '../../../src/engine/admin/configuration/apply-configuration.ts';
import { changeModel, declareModel, removeDeclaration } from '../../../src/engine/admin/models/change-models.ts';
import {
  listedModelView,
  listModels,
  showModel,
  shownModelView,
} from '../../../src/engine/admin/models/read-models.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleConfiguration } from '../../../src/engine/admin/testing/sample-configuration.ts';
import { testProviders } from '../../../src/engine/admin/testing/test-providers.ts';
import { CATALOG_ONLY } from '../../../src/engine/ports/directory-store.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

let store: Store;
let clock: FakeClock;

afterEach(closeTestStores);

beforeEach(async () => {
  store = await openTestStore({ clock: new FakeClock() });
  clock = new FakeClock();
  const models = { 'gpt-4o-mini': 'gpt-4o-mini', quick: 'gpt-4o-mini' };
  await createChannel(store.directory, testProviders, {
    id: 'main',
    provider: 'openai',
    api_key: 'upstream',
    models,
  });
});

const declare = (input: unknown) => declareModel(store.directory, clock, input);
const change = (id: string, input: unknown) =>
  changeModel({ store: store.directory, providers: testProviders, clock }, id, input);
const show = async (id: string) => shownModelView(await showModel(store.directory, testProviders, id));
const filed = () =>
  applyConfiguration(store.directory, clock, sampleConfiguration({ models: [{ id: 'filed', status: 'hidden' }] }));

describe('declaring', () => {
  test('is idempotent; different content is refused', async () => {
    const input = { id: 'quick', status: 'hold', pricing: { input_per_1m: '0.2' } };
    const { declared } = await declare(input);
    const state = await store.directory.state();
    expect(await declare(input)).toEqual({ declared, alreadyThere: true });
    expect(await store.directory.state()).toEqual(state);
    expect((await failureOf(declare({ id: 'quick' }))).message).toBe(
      'id: the declaration of "quick" already exists with a different status, pricing; change it, or choose another id',
    );
  });

  test.each([
    [{ id: 'm', status: 'gone' }, 'status'],
    [{ id: 'm', pricing: { input_per_1m: '-1' } }, 'pricing.input_per_1m'],
    [{ id: 'm', capabilities: { contxt: 5 } }, 'capabilities.contxt'],
    [{ id: 'm', cache: { ttl_seconds: 0 } }, 'cache.ttl_seconds'],
    [{ id: 'm', tags: ['a', 'a'] }, 'tags[1]'],
    [{ status: 'public' }, 'id'],
  ])('%p is refused, naming %s', async (input, field) => {
    expect(await failureOf(declare(input))).toMatchObject({ code: 'invalid_value', field });
  });
});

test('has the prices of the channel that is tried first, regardless of names', async () => {
  const { model } = await showModel(store.directory, testProviders, 'quick');
  const backup = { id: 'a-backup', provider: 'openai', api_key: 'upstream', models: { quick: 'gpt-4o' } };
  await createChannel(store.directory, testProviders, { ...backup, priority: 10 });
  expect((await showModel(store.directory, testProviders, 'quick')).model).toEqual(model);
  await createChannel(store.directory, testProviders, { ...backup, id: 'b-first', priority: -1 });
  expect((await showModel(store.directory, testProviders, 'quick')).model).not.toEqual(model);
});

describe('changing', () => {
  test('of one price keeps the others that are in force, be they declared or from the catalog', async () => {
    const facts = { pricing: { input_per_1m: '3', output_per_1m: '15', cached_input_per_1m: '0.3' } };
    await store.directory.write(CATALOG_ONLY, (writer) =>
      writer.putSyncedModel({
        provider: 'openai',
        id: 'gpt-4o-mini',
        facts,
        source: { url: 'https://example.com', date: '2999-01-01' },
      }),
    );
    await change('quick', { pricing: { input_per_1m: '2', cached_input_per_1m: null } });
    expect(await show('quick')).toMatchObject({ pricing: { input_per_1m: '2', output_per_1m: '15' } });
    const { declared } = await change('quick', { pricing: { output_per_1m: '9' } });
    expect(declared.pricing).toEqual({ input_per_1m: '2', output_per_1m: '9' });
    expect((await failureOf(change('quick', { pricing: { input_per_1m: '-1' } }))).message).toStartWith(
      'pricing.input_per_1m: ',
    );
    expect((await change('quick', { pricing: null })).declared.pricing).toBeNull();
  });

  test('adds to a declared model, resets facts, and declares a served model for the first time', async () => {
    await declare({ id: 'quick', status: 'hidden', capabilities: { context: 5, features: [] }, tags: ['fast'] });
    const { declared, changed } = await change('quick', { status: 'public', tags: null });
    expect(changed).toEqual(['status', 'tags']);
    expect(declared).toMatchObject({
      status: 'public',
      tags: null,
      capabilities: { contextTokens: 5, features: [] },
    });
    expect(await change('gpt-4o-mini', { pricing: 'free' })).toMatchObject({ changed: ['pricing'] });
    const cache = { strategy: 'off', semantic: { tools: true } };
    expect(await change('quick', { cache })).toMatchObject({ changed: ['cache'] });
    expect(await show('quick')).toMatchObject({ cache, layers: { stated: { cache } } });
    const state = await store.directory.state();
    expect(await change('quick', { status: 'public' })).toMatchObject({ changed: [] });
    expect(await store.directory.state()).toEqual(state);
  });

  test('refuses an unknown model, a configured one, and another id', async () => {
    await filed();
    expect((await failureOf(change('gpt-4o-mni', {}))).message).toContain('did you mean "gpt-4o-mini"');
    expect(await failureOf(change('filed', { status: 'public' }))).toMatchObject({
      code: 'conflict',
      field: 'model',
    });
    expect((await failureOf(change('quick', { id: 'other' }))).field).toBe('id');
  });
});

test('a declaration is removed once, unless it is configured', async () => {
  await declare({ id: 'quick', status: 'hold' });
  expect(await removeDeclaration(store.directory, 'quick')).toBe(true);
  expect(await removeDeclaration(store.directory, 'quick')).toBe(false);
  await filed();
  expect((await failureOf(removeDeclaration(store.directory, 'filed'))).code).toBe('conflict');
});

test('models are listed in pages with their effective facts, including hidden ones', async () => {
  await declare({ id: 'alone', status: 'hidden', pricing: 'free' });
  const turns = { nowMs: () => 0, pause: async () => undefined };
  const means = () => ({ store: store.directory, providers: testProviders, turns });
  const first = await listModels(means(), { limit: 2 });
  const second = await listModels(means(), { limit: 2, after: first.next });
  expect([...first.items, ...second.items].map(listedModelView)).toMatchObject([
    { id: 'alone', status: 'hidden', pricing: 'free', origin: 'operator', channels: [], sandbox: false },
    { id: 'gpt-4o-mini', status: 'public', origin: null, channels: ['main'], sandbox: false },
    { id: 'quick', status: 'public', channels: ['main'] },
  ]);
  expect(second.next).toBeNull();
});

test('the view of a model has the three layers and the effective facts', async () => {
  await store.directory.write('all', (writer) =>
    writer.putSyncedModel({
      provider: 'openai',
      id: 'gpt-4o-mini',
      facts: { capabilities: { contextTokens: 9_000 }, pricing: { input_per_1m: '7' } },
      source: { url: 'https://example.com/prices', date: '2999-01-01' },
    }),
  );
  await declare({ id: 'quick', pricing: { input_per_1m: '0.2' }, capabilities: { max_output: 50 } });
  expect(await show('quick')).toMatchObject({
    id: 'quick',
    pricing: { input_per_1m: '0.2' },
    capabilities: { context_tokens: 9_000, max_output_tokens: 50 },
    yours: { origin: 'operator', managed_by: 'api', fields: ['pricing', 'max_output'] },
    layers: {
      shipped: { provider: 'openai', id: 'gpt-4o-mini', capabilities: { context_tokens: 128_000 }, pricing: null },
      synced: {
        source: { date: '2999-01-01' },
        facts: { pricing: { input_per_1m: '7' }, capabilities: { context: 9_000 } },
      },
      stated: { pricing: { input_per_1m: '0.2' }, capabilities: { max_output: 50 } },
    },
    channels: [
      { id: 'main', model: 'gpt-4o-mini' },
      { id: 'main', model: 'quick' },
    ],
  });
});

describe('rules', () => {
  const rules = (...models: string[]) =>
    models.map((model, at) => (at === models.length - 1 ? { model } : { when: { stream: true }, model }));

  test('are declared, changed and taken back', async () => {
    await declare({ id: 'auto', rules: rules('quick', 'gpt-4o-mini') });
    expect(await show('auto')).toMatchObject({
      rules: rules('quick', 'gpt-4o-mini'),
      category: 'chat',
      status: 'public',
    });
    expect((await change('auto', { rules: rules('quick') })).changed).toEqual(['rules']);
    expect((await change('auto', { rules: null })).changed).toEqual(['rules']);
    expect(await show('auto')).toMatchObject({ rules: null });
  });

  test('may lead to the model itself while a channel serves it', async () => {
    await change('quick', { rules: rules('gpt-4o-mini', 'quick') });
    expect((await failureOf(declare({ id: 'auto', rules: rules('auto') }))).message).toStartWith(
      'rules[0].model: leads to the model itself',
    );
  });

  test('that lead to an unknown model are refused with the nearest name', async () => {
    const { message } = await failureOf(declare({ id: 'auto', rules: rules('quick', 'gpt4o-mini') }));
    expect(message).toBe('rules[1].model: there is no model "gpt4o-mini" (did you mean "gpt-4o-mini"?)');
  });

  test('that lead back are refused, whichever of the models is changed last', async () => {
    await declare({ id: 'one', rules: rules('quick') });
    await declare({ id: 'two', rules: rules('quick', 'one') });
    expect((await failureOf(change('one', { rules: rules('quick', 'two') }))).message).toBe(
      'rules[1].model: leads back to its own model: one → two → one',
    );
  });

  test('of a file may lead to models that nobody serves, because channels come and go', async () => {
    const models = [{ id: 'auto', rules: rules('not-there') }];
    const { created } = await applyConfiguration(store.directory, clock, sampleConfiguration({ models }));
    expect(created).toContain('model auto');
  });
});
