import { describe, expect, test } from 'bun:test';
import { NOTHING_KNOWN } from './capabilities.ts';
import type { CatalogModel } from './catalog-model.ts';
import type { DeclaredModel, Model } from './model.ts';
import { resolveModel } from './resolve-model.ts';
import { sampleCatalogModel } from './testing/sample-catalog-model.ts';

const READ = { url: 'https://prices.example', date: '2026-01-31' };
const KNOWN = {
  name: 'Known',
  description: 'Of the catalog.',
  ownedBy: 'maker',
  category: 'image',
  tags: ['known'],
  releasedAtMs: 1_000,
  operations: ['images.generations', 'images.edits'],
  parameters: { 'images.generations': { n: { maximum: 1 } } },
  pricing: { per_image: '0.04' },
  priceSource: READ,
} as const satisfies Partial<CatalogModel>;

/** A declared model without any facts. */
const NOTHING_SAID: DeclaredModel = {
  id: 'house',
  name: null,
  description: null,
  category: null,
  ownedBy: null,
  status: null,
  pricing: null,
  strategy: null,
  cache: null,
  tags: null,
  capabilities: null,
  operations: null,
  rules: null,
  fallbacks: [],
  batchPricePercent: null,
  createdAtMs: 2_000,
  origin: 'config',
};

function resolved(
  declared: Partial<DeclaredModel> | null,
  known: Partial<CatalogModel> | null = KNOWN,
  provider: string | null = 'openai',
): Model {
  return resolveModel('house', {
    declared: declared === null ? undefined : { ...NOTHING_SAID, ...declared },
    known: known === null ? undefined : sampleCatalogModel(known),
    provider,
  });
}

describe('each fact', () => {
  test.each<[keyof DeclaredModel & keyof Model, Partial<DeclaredModel>]>([
    ['name', { name: 'Declared' }],
    ['description', { description: 'Of the operator.' }],
    ['category', { category: 'chat' }],
    ['ownedBy', { ownedBy: 'house' }],
    ['tags', { tags: [] }],
    ['operations', { operations: ['images.edits'] }],
  ])('%s: a declared value overrides the known one and changes nothing else', (fact, declared) => {
    expect(resolved(declared)[fact]).toEqual(declared[fact] as never);
    expect(resolved({})[fact]).toEqual(KNOWN[fact as keyof typeof KNOWN] as never);
    expect(resolved(null)[fact]).toEqual(KNOWN[fact as keyof typeof KNOWN] as never);
  });

  test('has its usual value for an unknown model', () => {
    expect(resolved(null, null, null)).toEqual({
      id: 'house',
      name: 'house',
      description: null,
      category: 'chat',
      ownedBy: 'unknown',
      status: 'public',
      pricing: null,
      priceSource: null,
      strategy: null,
      cache: null,
      tags: [],
      capabilities: null,
      operations: ['chat.completions', 'responses', 'messages', 'generate_content'],
      parameters: {},
      createdAtMs: 0,
    });
  });

  test('falls back to the provider of the channel for the maker', () => {
    expect(resolved({}, null, 'groq').ownedBy).toBe('groq');
  });
});

describe('the price', () => {
  test('is the known one with its source if none is declared', () => {
    expect(resolved({})).toMatchObject({ pricing: { per_image: '0.04' }, priceSource: READ });
  });

  test('is the declared one, without a source', () => {
    const source = { url: null, date: null };
    expect(resolved({ pricing: 'free' })).toMatchObject({ pricing: 'free', priceSource: source });
  });

  test('is null if declared unknown', () => {
    expect(resolved({ pricing: 'unknown' })).toMatchObject({ pricing: null, priceSource: null });
  });

  test('is never a mix of both', () => {
    expect(resolved({ pricing: { per_request: '1' } }).pricing).toEqual({ per_request: '1' });
  });
});

describe('the operations', () => {
  test('are the usual ones of a declared category that differs from the known one', () => {
    expect(resolved({ category: 'rerank' }).operations).toEqual(['rerank']);
  });

  test('are the known ones if the declared category is the same', () => {
    expect(resolved({ category: 'image' }).operations).toEqual(['images.generations', 'images.edits']);
  });
});

describe('the capabilities', () => {
  test('are the known ones, overridden by those that are declared', () => {
    const known = { ...NOTHING_KNOWN, features: ['tools'], contextTokens: 8_000 } as const;
    const { capabilities } = resolved({ capabilities: { contextTokens: 4_000 } }, { ...KNOWN, capabilities: known });
    expect(capabilities).toEqual({ ...known, contextTokens: 4_000 });
  });

  test('are those of a text model, overridden by the declared ones, for an unknown model', () => {
    expect(resolved({ capabilities: { features: ['tools'] } }, null).capabilities).toEqual({
      ...NOTHING_KNOWN,
      features: ['tools'],
    });
  });
});

describe('the creation time', () => {
  test('is the release date, even for a declared model', () => {
    expect(resolved({}).createdAtMs).toBe(1_000);
  });

  test('is the time of the declaration if the release date is unknown', () => {
    expect(resolved({}, { ...KNOWN, releasedAtMs: null }).createdAtMs).toBe(2_000);
  });

  test('is the date of the catalog or price list if neither is known', () => {
    const undated = { ...KNOWN, releasedAtMs: null };
    expect(resolved(null, { ...undated, listedAtMs: 3_000 }).createdAtMs).toBe(3_000);
    const priced = { ...undated, priceSource: { url: null, date: '1970-01-02' } };
    expect(resolved(null, priced).createdAtMs).toBe(86_400_000);
    expect(resolved(null, { ...undated, priceSource: null }).createdAtMs).toBe(0);
  });
});

test.each(['hidden', 'hold', 'public'] as const)('the status is the declared one: %s', (status) => {
  expect(resolved({ status }).status).toBe(status);
});

test('a model that is declared without a status is public', () => {
  expect(resolved({}).status).toBe('public');
});
