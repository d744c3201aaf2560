import { expect, test } from 'bun:test';
import { USUAL_OPERATIONS } from './model-operation.ts';
import { type ListedFacts, withListedFacts } from './synced-model.ts';
import { sampleCatalogModel } from './testing/sample-catalog-model.ts';

const PRICED = { pricing: { input_per_1m: '1' }, priceSource: { url: 'https://shipped.example', date: '2026-08-01' } };

const synced = (facts: ListedFacts, date = '2026-11-20') => ({
  provider: 'openai',
  id: 'gpt-4o-mini',
  facts,
  source: { url: 'https://list.example', date },
});

test.each([
  ['of the same day wins', '2026-08-01', '2'],
  ['of a later day wins', '2026-08-02', '2'],
  ['of an earlier day loses', '2026-07-31', '1'],
])('a listed price %s', (_, date, price) => {
  const model = withListedFacts(sampleCatalogModel(PRICED), synced({ pricing: { input_per_1m: '2' } }, date));
  expect(model.pricing).toEqual({ input_per_1m: price });
});

test('a list without a price keeps the price and its source', () => {
  const model = withListedFacts(sampleCatalogModel(PRICED), synced({ capabilities: { contextTokens: 1 } }));
  expect(model).toMatchObject({ ...PRICED, capabilities: { contextTokens: 1, maxOutputTokens: 16_384 } });
});

test('a model known only from a list gets the usual operations of its category', () => {
  const facts = { name: 'Small', ownedBy: 'maker', category: 'embedding' } as const;
  const model = withListedFacts(undefined, synced(facts));
  expect(model).toMatchObject({ ...facts, operations: USUAL_OPERATIONS.embedding, pricing: null, priceSource: null });
});

test('a model that later ships with the catalog keeps its own name, maker, category and date', () => {
  const shipped = sampleCatalogModel({ category: 'image', releasedAtMs: 5 });
  const facts = { name: 'Listed', ownedBy: 'listed', category: 'chat', releasedAtMs: 7 } as const;
  expect(withListedFacts(shipped, synced(facts))).toEqual(shipped);
});
