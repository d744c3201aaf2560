import { expect, test } from 'bun:test';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import { type CatalogChanges, changesBetween, type FieldChange } from './catalog-changes.ts';
import { readLitellmList } from './litellm-list.ts';
import { readModelsDevList } from './models-dev-list.ts';
import type { PriceListModel } from './price-list-model.ts';
import { catalogModel } from './testing/catalog-model.ts';
import litellmSample from './testing/litellm-sample.json';
import modelsDevSample from './testing/models-dev-sample.json';

const source = { url: 'https://models.dev/api.json', date: '2026-11-20' };
const options = { includeNew: false, source };

function listedModel(changes: Partial<PriceListModel> = {}): PriceListModel {
  return { provider: 'openai', id: 'gpt-4o-mini', ...changes };
}

function changes(current: CatalogModel, facts: Partial<PriceListModel>): CatalogChanges {
  return changesBetween([current], [listedModel(facts)], options);
}

/** Returns the model as the facts change it, with the changed fields; the unchanged model if nothing changes. */
function update(current: CatalogModel, facts: Partial<PriceListModel>): { model: CatalogModel; fields: unknown[] } {
  const [change] = changes(current, facts).changed;
  return { model: change?.model ?? current, fields: change?.fields.map(shown) ?? [] };
}

function shown({ field, from, to }: FieldChange): string {
  return `${field} ${from} → ${to}`;
}

function repriced(pricing: ModelPricing, listed: PriceListModel['pricing']) {
  return update(catalogModel({ pricing }), listed === undefined ? {} : { pricing: listed });
}

test('only a price that differs in the list changes', () => {
  const { model, fields } = update(catalogModel(), { pricing: { prices: { input_per_1m: '0.12' }, tiers: [] } });
  expect(fields).toEqual(['input_per_1m 0.15 → 0.12']);
  expect(model.pricing).toEqual({ input_per_1m: '0.12', cached_input_per_1m: '0.075', output_per_1m: '0.60' });
});

test('a changed price has the list as its source', () => {
  const { model } = update(catalogModel(), { pricing: { prices: { input_per_1m: '0.12' }, tiers: [] } });
  expect(model.priceSource).toEqual(source);
});

test('the price keeps its source if only facts change', () => {
  const { model, fields } = update(catalogModel(), { maxOutputTokens: 32_768 });
  expect(fields).toEqual(['max_output 16384 → 32768']);
  expect(model.priceSource?.date).toBe('2026-08-01');
});

test('the same number in another notation is not a change', () => {
  const result = changes(catalogModel(), { pricing: { prices: { output_per_1m: '0.6' }, tiers: [] } });
  expect([result.changed.length, result.unchanged]).toEqual([0, 1]);
});

test('a list without a price removes none', () => {
  expect(changes(catalogModel(), {})).toMatchObject({ changed: [], unchanged: 1 });
});

test('a model without a price gets that of the list', () => {
  const { model, fields } = repriced(null, { prices: { input_per_1m: '1', output_per_1m: '2' }, tiers: [] });
  expect(model.pricing).toEqual({ input_per_1m: '1', output_per_1m: '2' });
  expect(fields).toEqual(['input_per_1m null → 1', 'output_per_1m null → 2']);
});

test('a free model with a listed price changes from 0', () => {
  const { fields } = repriced('free', { prices: { input_per_1m: '0.07' }, tiers: [] });
  expect(fields).toEqual(['input_per_1m 0 → 0.07']);
});

test('a listed price equal to its fallback is not added', () => {
  const { fields } = update(catalogModel(), { pricing: { prices: { reasoning_per_1m: '0.6' }, tiers: [] } });
  expect(fields).toEqual([]);
});

test('a separate price equal to its fallback is kept up to date', () => {
  const current = { input_per_1m: '1', output_per_1m: '4', reasoning_per_1m: '3' };
  const { fields } = repriced(current, { prices: { output_per_1m: '4', reasoning_per_1m: '4' }, tiers: [] });
  expect(fields).toEqual(['reasoning_per_1m 3 → 4']);
});

test.each([
  ['an image', { per_image: '0.04' }, { input_per_1m: '5', image_output_per_1m: '40' }],
  ['tokens', { input_per_1m: '5', image_output_per_1m: '40' }, { per_image: '0.04' }],
  ['a character', { per_character: '0.00001' }, { per_second: '0.002' }],
  ['an image and its prompt', { input_per_1m: '5', per_image: '0.04' }, { output_per_1m: '40' }],
])('a model sold by %s does not get prices in other units', (_, current, prices) => {
  const result = changes(catalogModel({ pricing: current }), { pricing: { prices, tiers: [] } });
  expect(result.changed).toEqual([]);
  expect(result.measuredOtherwise.map(({ id }) => id)).toEqual(['gpt-4o-mini']);
});

test('a model sold by the piece gets the new price of the piece', () => {
  const { fields } = repriced({ per_image: '0.04' }, { prices: { per_image: '0.039' }, tiers: [] });
  expect(fields).toEqual(['per_image 0.04 → 0.039']);
});

const tiered: ModelPricing = [
  {
    effectiveFromMs: null,
    prices: { input_per_1m: '1.25', output_per_1m: '10' },
    tiers: [{ aboveInputTokens: 200_000, prices: { input_per_1m: '2.5', output_per_1m: '15' } }],
  },
];

test('a tier with the same bound changes only where the list states it', () => {
  const { model, fields } = repriced(tiered, {
    prices: { input_per_1m: '1.25' },
    tiers: [{ aboveInputTokens: 200_000, prices: { input_per_1m: '3' } }],
  });
  expect(fields).toEqual(['input_per_1m above 200000 2.5 → 3']);
  expect(model.pricing).toMatchObject([{ tiers: [{ prices: { input_per_1m: '3', output_per_1m: '15' } }] }]);
});

test('a new tier of the list is added, without values that apply anyway', () => {
  const { model, fields } = repriced(
    { input_per_1m: '1.25', output_per_1m: '10' },
    { prices: {}, tiers: [{ aboveInputTokens: 200_000, prices: { input_per_1m: '2.50', output_per_1m: '10.0' } }] },
  );
  expect(fields).toEqual(['input_per_1m above 200000 null → 2.50']);
  expect(model.pricing).toEqual([
    {
      effectiveFromMs: null,
      prices: { input_per_1m: '1.25', output_per_1m: '10' },
      tiers: [{ aboveInputTokens: 200_000, prices: { input_per_1m: '2.50' } }],
    },
  ]);
});

test.each([
  [204_800, 200_000],
  [200_000, 204_800],
])(
  "a bound of %p tokens equals the list's %p: one of them uses 1,024 per thousand",
  (aboveInputTokens, listedBound) => {
    const prices = { input_per_1m: '2.5' };
    const pricing = [
      { effectiveFromMs: null, prices: { input_per_1m: '1.25' }, tiers: [{ aboveInputTokens, prices }] },
    ];
    expect(repriced(pricing, { prices: {}, tiers: [{ aboveInputTokens: listedBound, prices }] }).fields).toEqual([]);
  },
);

test.each([
  [199_999, 200_000],
  [200_000, 199_999],
  [131_072, 127_999],
])("a bound of %p tokens equals the list's %p", (aboveInputTokens, listedBound) => {
  const prices = { input_per_1m: '2.5' };
  const pricing = [{ effectiveFromMs: null, prices: { input_per_1m: '1.25' }, tiers: [{ aboveInputTokens, prices }] }];
  expect(repriced(pricing, { prices: {}, tiers: [{ aboveInputTokens: listedBound, prices }] }).fields).toEqual([]);
});

test.each([null, 32_000, 32_768])('a list with one bound in two notations is stable over %p', (aboveInputTokens) => {
  const own = aboveInputTokens === null ? [] : [{ aboveInputTokens, prices: { input_per_1m: '2' } }];
  const pricing = [{ effectiveFromMs: null, prices: { input_per_1m: '1' }, tiers: own }];
  const tiers = [
    { aboveInputTokens: 32_000, prices: { input_per_1m: '3' } },
    { aboveInputTokens: 32_768, prices: { input_per_1m: '4' } },
  ];
  const { model } = repriced(pricing, { prices: {}, tiers });
  expect(model.pricing).toMatchObject([
    { tiers: [{ aboveInputTokens: aboveInputTokens ?? 32_000, prices: { input_per_1m: '3' } }] },
  ]);
  expect(update(model, { pricing: { prices: {}, tiers } }).fields).toEqual([]);
});

test.each([
  ['0.075', '0.08', 2, []],
  ['0.005', '0.01', 2, []],
  ['0.075', '0.08', undefined, ['cached_input_per_1m 0.075 → 0.08']],
])('a price of %s listed as %s, rounded to %p decimals, changes %j', (own, price, decimals, expected) => {
  const { fields } = repriced(
    { input_per_1m: '1', cached_input_per_1m: own },
    { prices: { cached_input_per_1m: price }, tiers: [], ...(decimals === undefined ? {} : { decimals }) },
  );
  expect(fields).toEqual(expected);
});

test('a price that the list only rounds stays', () => {
  const { fields } = repriced({ per_second: '0.000030833333' }, { prices: { per_second: '0.00003083' }, tiers: [] });
  expect(fields).toEqual([]);
});

test("tiers with other bounds are replaced by the list's", () => {
  const { fields } = repriced(tiered, {
    prices: {},
    tiers: [{ aboveInputTokens: 272_000, prices: { input_per_1m: '2.5' } }],
  });
  expect(fields).toEqual([
    'input_per_1m above 200000 2.5 → null',
    'output_per_1m above 200000 15 → null',
    'input_per_1m above 272000 null → 2.5',
  ]);
});

test('tiers stay if the list has none', () => {
  const { model } = repriced(tiered, { prices: { input_per_1m: '1' }, tiers: [] });
  expect(model.pricing).toMatchObject([{ prices: { input_per_1m: '1' }, tiers: [{ aboveInputTokens: 200_000 }] }]);
});

test.each([
  ['2026-11-20', 0],
  ['2027-01-02', 1],
  [null, 1],
] as const)('of prices that change over time, a list of %p changes period %p', (date, at) => {
  const pricing: ModelPricing = [
    { effectiveFromMs: null, prices: { input_per_1m: '1' }, tiers: [] },
    { effectiveFromMs: Date.parse('2027-01-01'), prices: { input_per_1m: '2' }, tiers: [] },
  ];
  const facts = listedModel({ pricing: { prices: { input_per_1m: '9' }, tiers: [] } });
  const { changed } = changesBetween([catalogModel({ pricing })], [facts], {
    includeNew: false,
    source: { url: null, date },
  });
  const expected = pricing.map((period, index) =>
    index === at ? { ...period, prices: { input_per_1m: '9' } } : period,
  );
  expect(changed[0]?.model.pricing).toEqual(expected);
});

test('a feature is added or removed as the list states', () => {
  const { model, fields } = update(catalogModel(), { features: { reasoning: true, tools: false } });
  expect(model.capabilities.features).toEqual(['streaming', 'reasoning']);
  expect(fields).toEqual(['features streaming, tools → streaming, reasoning']);
});

test.each([
  ['input', { file: true }],
  ['input', { image: false }],
  ['output', { image: true }],
  ['output', { text: false, video: true }],
])('the catalog’s %s of a model is not changed by a list: %j', (member, stated) => {
  expect(update(catalogModel(), { [member]: stated }).fields).toEqual([]);
});

test('the list fills in the inputs of a model if the catalog has none', () => {
  const { capabilities } = catalogModel();
  const { fields } = update(catalogModel({ capabilities: { ...capabilities, input: [] } }), {
    input: { file: true, text: true },
  });
  expect(fields).toEqual(['input  → text, file']);
});

test.each([
  { maxOutputTokens: 128_000, contextTokens: 128_000 },
  { maxOutputTokens: 128_000, inputTokens: 128_000 },
  { maxOutputTokens: 128_000 },
])('an output limit equal to the whole context is ignored: %j', (facts) => {
  expect(update(catalogModel(), facts).fields).toEqual([]);
});

test('a size in another notation is not a change', () => {
  expect(update(catalogModel(), { contextTokens: 131_072, maxOutputTokens: 16_000 }).fields).toEqual([]);
});

test('a prompt limit is not a context size, only its lower bound', () => {
  expect(update(catalogModel(), { inputTokens: 100_000 }).fields).toEqual([]);
  expect(update(catalogModel(), { inputTokens: 272_000 }).fields).toEqual(['context 128000 → 272000']);
  expect(update(catalogModel(), { contextTokens: 100_000 }).fields).toEqual(['context 128000 → 100000']);
});

test('the output size and text output of an embedding model are ignored', () => {
  const current = catalogModel({
    category: 'embedding',
    capabilities: { ...catalogModel().capabilities, output: ['embedding'], maxOutputTokens: null, dimensions: 1536 },
  });
  const { fields } = update(current, { maxOutputTokens: 1536, output: { text: true }, dimensions: 3072 });
  expect(fields).toEqual(['dimensions 1536 → 3072']);
});

test('name, maker and category stay those of the catalog', () => {
  const facts = { name: 'GPT 4o Mini', ownedBy: 'someone', category: 'image' } as const;
  expect(changes(catalogModel(), facts).changed).toEqual([]);
});

test('the release date is filled in, but not changed', () => {
  const atMs = Date.parse('2024-07-20');
  expect(update(catalogModel({ releasedAtMs: null }), { releasedAtMs: atMs }).fields).toEqual([
    'released null → 2024-07-20',
  ]);
  expect(update(catalogModel(), { releasedAtMs: atMs }).fields).toEqual([]);
});

test('the same id at another provider is another model', () => {
  const result = changes(catalogModel(), { provider: 'azure-openai', maxOutputTokens: 1 });
  expect(result).toMatchObject({ changed: [], unchanged: 0, unknownCount: 1 });
});

test('models missing from the catalog are only counted unless requested', () => {
  const result = changes(catalogModel(), { id: 'gpt-new', category: 'chat' });
  expect(result).toMatchObject({ added: [], unknownCount: 1 });
});

test('an implausible price changes nothing and is reported', () => {
  const prices = { input_per_1m: '100', output_per_1m: '0.5' };
  const { changed, refused } = changes(catalogModel(), { pricing: { prices, tiers: [] } });
  expect(changed).toEqual([]);
  expect(refused.map(({ model, problem }) => [model.id, problem])).toEqual([
    ['gpt-4o-mini', 'input_per_1m 0.15 → 100 is more than 20 times as much'],
  ]);
});

test('a new model with an implausible price has none', () => {
  const pricing = { prices: { input_per_1m: '0.0001' }, tiers: [] };
  const { added, refused } = changesBetween([], [listedModel({ category: 'chat', pricing })], {
    includeNew: true,
    source,
  });
  expect(added).toMatchObject([{ pricing: null, priceSource: null }]);
  expect(refused.map(({ problem }) => problem)).toEqual(['input_per_1m 0.0001 is below 0.001']);
});

const withNew = { includeNew: true, source };

test('a new model has the listed facts, and the defaults of its category', () => {
  const facts = listedModel({
    provider: 'together',
    id: 'Qwen/Qwen3-Embedding',
    ownedBy: 'alibaba',
    category: 'embedding',
    dimensions: 1024,
    inputTokens: 32_768,
    pricing: { prices: { input_per_1m: '0.02' }, tiers: [] },
  });
  expect(changesBetween([], [facts], withNew).added).toEqual([
    {
      provider: 'together',
      id: 'Qwen/Qwen3-Embedding',
      name: 'Qwen/Qwen3-Embedding',
      description: null,
      ownedBy: 'alibaba',
      category: 'embedding',
      tags: [],
      releasedAtMs: null,
      listedAtMs: null,
      capabilities: {
        input: ['text'],
        output: ['embedding'],
        features: [],
        contextTokens: 32_768,
        maxOutputTokens: null,
        dimensions: 1024,
      },
      operations: ['embeddings'],
      parameters: {},
      pricing: { input_per_1m: '0.02' },
      priceSource: source,
    },
  ]);
});

test('a new model without a price has no price source, and its provider as the default maker', () => {
  const [added] = changesBetween([], [listedModel({ category: 'chat' })], withNew).added;
  expect(added).toMatchObject({ pricing: null, priceSource: null, ownedBy: 'openai' });
});

test.each([
  ['of unknown category', {}],
  ['that is deprecated', { category: 'chat', isDeprecated: true }],
] as const)('a new model %s is not added', (_, facts) => {
  expect(changesBetween([], [listedModel(facts)], withNew)).toMatchObject({ added: [], unknownCount: 1 });
});

const everyProvider = { has: () => true };

test.each([
  ['LiteLLM', readLitellmList(litellmSample, everyProvider)],
  ['models.dev', readModelsDevList(modelsDevSample, everyProvider)],
])('applying the sample of %s twice changes nothing the second time', (_, list) => {
  const { added } = changesBetween([], list.entries, withNew);
  const again = changesBetween(added, list.entries, withNew);
  expect(added.length).toBeGreaterThan(10);
  expect(again).toMatchObject({ changed: [], added: [], unchanged: added.length, measuredOtherwise: [] });
});

test.each([
  ['LiteLLM', readLitellmList(litellmSample, everyProvider)],
  ['models.dev', readModelsDevList(modelsDevSample, everyProvider)],
])('every price in the sample of %s can be charged', (_, list) => {
  const priced = changesBetween([], list.entries, withNew).added.filter(({ pricing }) => pricing !== null);
  expect(priced.filter(({ pricing }) => PriceSheet.parse(pricing) === null)).toEqual([]);
});
