import { describe, expect, test } from 'bun:test';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { SyncedModel } from '../../domain/catalog/synced-model.ts';
import { sampleCatalogModel } from '../../domain/catalog/testing/sample-catalog-model.ts';
import { sampleModel } from '../ports/testing/samples.ts';
import { ModelFacts } from './model-facts.ts';

const SHIPPED = { url: 'https://shipped.example', date: '2026-01-31' };
const LISTED = { url: 'https://listed.example', date: '2026-02-28' };
const DISCOVERY = { atStart: false };

function shipped(provider: string, id: string, fields: Partial<CatalogModel> = {}): CatalogModel {
  return sampleCatalogModel({
    provider,
    id,
    name: `${id} at ${provider}`,
    ownedBy: 'meta',
    pricing: { input_per_1m: '1' },
    priceSource: SHIPPED,
    ...fields,
  });
}

/** Makes facts in which `vllm` is a self-hosted server. */
function modelFactsOf(models: readonly CatalogModel[], synced: readonly SyncedModel[] = []): ModelFacts {
  const providers = ['groq', 'meta', 'openai', 'vllm'].map((name) => {
    const served = models.filter(({ provider }) => provider === name);
    return [name, { models: () => served, ...(name === 'vllm' ? { discovery: DISCOVERY } : {}) }] as const;
  });
  return new ModelFacts(new Map(providers), synced);
}

describe('of', () => {
  const modelFacts = modelFactsOf([shipped('groq', 'llama'), shipped('openai', 'llama')]);

  test('returns the model as this provider serves it', () => {
    expect(modelFacts.of('openai', 'llama')?.name).toBe('llama at openai');
  });

  test.each([
    ['meta', 'llama'],
    ['groq', 'gemma'],
    ['nobody', 'llama'],
  ])('returns undefined for %s/%s', (provider, id) => {
    expect(modelFacts.of(provider, id)).toBeUndefined();
  });
});

describe('model', () => {
  test('prefers the maker’s entry over other providers', () => {
    expect(modelFactsOf([shipped('groq', 'llama'), shipped('meta', 'llama')]).model('llama')?.provider).toBe('meta');
  });

  test('keeps the maker’s entry if another provider comes later', () => {
    expect(modelFactsOf([shipped('meta', 'llama'), shipped('openai', 'llama')]).model('llama')?.provider).toBe('meta');
  });

  test("is the first provider's entry if its maker has none", () => {
    expect(modelFactsOf([shipped('openai', 'llama'), shipped('groq', 'llama')]).model('llama')?.provider).toBe('groq');
  });
});

describe('facts synced from a list', () => {
  const line = (id: string): SyncedModel => {
    const facts = { name: 'Of the list', releasedAtMs: 1_000, pricing: { input_per_1m: '3' } } as const;
    return { provider: 'groq', id, facts, source: LISTED };
  };

  test('override an older price, and keep the shipped name', () => {
    const modelFacts = modelFactsOf([shipped('groq', 'llama')], [line('llama')]);
    const changed = { name: 'llama at groq', pricing: { input_per_1m: '3' }, priceSource: LISTED };
    expect(modelFacts.of('groq', 'llama')).toMatchObject(changed);
  });

  test('define a model that is not shipped', () => {
    const modelFacts = modelFactsOf([], [line('llama')]);
    expect(modelFacts.model('llama')).toMatchObject({ name: 'Of the list', releasedAtMs: 1_000, priceSource: LISTED });
  });

  test('do not apply to the same id at another provider', () => {
    const modelFacts = modelFactsOf([shipped('openai', 'llama')], [line('llama')]);
    expect(modelFacts.of('openai', 'llama')?.priceSource).toEqual(SHIPPED);
  });

  test('follow the shipped models in the models of a provider', () => {
    const modelFacts = modelFactsOf([shipped('groq', 'llama'), shipped('groq', 'z')], [line('a'), line('llama')]);
    expect(modelFacts.modelsOf('groq').map(({ id }) => id)).toEqual(['llama', 'z', 'a']);
  });

  test('are overridden by declared facts', () => {
    const modelFacts = modelFactsOf([shipped('groq', 'llama')], [line('llama')]);
    const declared = sampleModel({ id: 'llama', name: 'Declared', pricing: { input_per_1m: '9' } });
    const source = { url: null, date: null };
    const stated = { name: 'Declared', pricing: { input_per_1m: '9' }, priceSource: source, createdAtMs: 1_000 };
    expect(modelFacts.resolve('llama', null, declared)).toMatchObject(stated);
  });
});

describe('resolve', () => {
  const models = [shipped('meta', 'llama'), shipped('groq', 'llama'), shipped('groq', 'llama-fast')];
  const modelFacts = modelFactsOf(models);
  const at = (provider: string, upstreamModel: string) => ({ provider, models: { llama: upstreamModel } });

  test("uses the provider's entry for the upstream id of the channel", () => {
    expect(modelFacts.resolve('llama', at('groq', 'llama-fast'))).toMatchObject({
      id: 'llama',
      name: 'llama-fast at groq',
    });
  });

  test('uses the public id if the provider is not known to have the model', () => {
    expect(modelFacts.resolve('llama', at('openai', 'deployment-7')).name).toBe('llama at meta');
  });

  test('uses the public id without a channel', () => {
    expect(modelFacts.resolve('llama', null).name).toBe('llama at meta');
  });

  test("gives an unknown model the channel's provider as its owner", () => {
    const channel = { provider: 'groq', models: { unheard: 'unheard' } };
    expect(modelFacts.resolve('unheard', channel)).toMatchObject({ name: 'unheard', ownedBy: 'groq', pricing: null });
  });

  test('gives a self-hosted model no price, but its other facts', () => {
    const local = { name: 'llama at meta', pricing: null, priceSource: null };
    expect(modelFacts.resolve('llama', at('vllm', 'llama'))).toMatchObject(local);
  });

  test('gives a self-hosted model its declared price', () => {
    const declared = sampleModel({ id: 'llama', pricing: { input_per_1m: '2' } });
    expect(modelFacts.resolve('llama', at('vllm', 'llama'), declared).pricing).toEqual({ input_per_1m: '2' });
  });
});
