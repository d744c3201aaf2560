import { afterEach, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MODALITIES, MODEL_FEATURES } from '../../src/domain/catalog/capabilities.ts';
import { MODEL_CATEGORIES } from '../../src/domain/catalog/category.ts';
import type { SyncedModel } from '../../src/domain/catalog/synced-model.ts';
import type { PriceKey } from '../../src/domain/money/pricing.ts';
import { ModelFacts } from '../../src/engine/directory/model-facts.ts';
import type { DirectoryStore } from '../../src/engine/ports/directory-store.ts';
import { changesBetween } from '../../src/engine/price-lists/catalog-changes.ts';
import { parsePriceList } from '../../src/engine/price-lists/price-list.ts';
import type { PriceList, PriceListModel } from '../../src/engine/price-lists/price-list-model.ts';
import { planSync, resetCatalog, type SyncRequest, syncCatalog } from '../../src/engine/price-lists/sync-catalog.ts';
import { catalogModel } from '../../src/engine/price-lists/testing/catalog-model.ts';
import litellmSample from '../../src/engine/price-lists/testing/litellm-sample.json';
import modelsDevSample from '../../src/engine/price-lists/testing/models-dev-sample.json';
import { providers as shippedProviders } from '../../src/providers/index.ts';
import { closeTestStores, openTestStore } from '../../src/stores/sqlite/testing/test-store.ts';

const SOURCE = { url: 'https://list.example', date: '2026-11-20' };
const LATER = { url: 'https://other.example', date: '2026-12-01' };

const providers = new Map([['openai', { models: () => [catalogModel(), catalogModel({ id: 'gpt-4o' })] }]]);

let directory: DirectoryStore;

beforeEach(async () => {
  directory = (await openTestStore()).directory;
});
afterEach(closeTestStores);

function listOf(...entries: readonly Partial<PriceListModel>[]): PriceList {
  const whole = entries.map((entry) => ({ provider: 'openai', id: 'gpt-4o-mini', ...entry }));
  return { kind: 'litellm', entries: whole, skipped: 0, malformed: 0, firstMalformed: [] };
}

const requestOf = (list: PriceList, change: Partial<SyncRequest> = {}): SyncRequest => ({
  providers,
  list,
  includeNew: false,
  source: SOURCE,
  ...change,
});

const sync = (entry: Partial<PriceListModel>, change: Partial<SyncRequest> = {}) =>
  syncCatalog(directory, requestOf(listOf(entry), change));

const rows = async () => (await directory.read('all')).syncedModels;

const listedInput = (price: string) => ({ pricing: { prices: { input_per_1m: price }, tiers: [] } });

test('a row holds only what the list has changed', async () => {
  await sync({ maxOutputTokens: 32_768, contextTokens: 128_000, name: 'Another name' });
  const facts = { capabilities: { maxOutputTokens: 32_768 } };
  expect(await rows()).toEqual([{ provider: 'openai', id: 'gpt-4o-mini', facts, source: SOURCE }]);
});

test('a row holds all prices if one changes', async () => {
  await sync(listedInput('0.12'));
  const pricing = { input_per_1m: '0.12', cached_input_per_1m: '0.075', output_per_1m: '0.60' };
  expect(await rows()).toMatchObject([{ facts: { pricing }, source: SOURCE }]);
});

test('a model missing from the catalog is added only on request', async () => {
  const { changes } = await sync({ id: 'new', category: 'chat' });
  expect([changes.unknownCount, await rows()]).toEqual([1, []]);
});

test('an added model has all facts of the list', async () => {
  const pricing = { prices: { per_image: '0.04' }, tiers: [] };
  const entry = { id: 'new', category: 'image', ownedBy: 'maker', releasedAtMs: 0, pricing } as const;
  const { changes } = await sync(entry, { includeNew: true });
  const [added] = changes.added;
  expect(new ModelFacts(providers, await rows()).of('openai', 'new')).toEqual(added);
  expect(added).toMatchObject({ category: 'image', ownedBy: 'maker', releasedAtMs: 0, pricing: { per_image: '0.04' } });
});

test("a list without a price keeps an earlier list's price and source", async () => {
  await sync(listedInput('0.12'));
  await sync({ maxOutputTokens: 9 }, { source: LATER });
  const [row] = await rows();
  expect(row?.facts).toMatchObject({ pricing: { input_per_1m: '0.12' }, capabilities: { maxOutputTokens: 9 } });
  expect(row?.source).toEqual(SOURCE);
});

test('a new price has its own source, and facts of an earlier list stay', async () => {
  await sync({ maxOutputTokens: 9, ...listedInput('0.12') });
  await sync(listedInput('0.11'), { source: LATER });
  const [row] = await rows();
  expect(row?.facts).toMatchObject({ pricing: { input_per_1m: '0.11' }, capabilities: { maxOutputTokens: 9 } });
  expect(row?.source).toEqual(LATER);
});

test('a catalog price newer than the list stays and is reported', async () => {
  const source = { ...SOURCE, date: '2026-07-31' };
  const { changes, newerPrices } = await sync({ maxOutputTokens: 9, ...listedInput('0.12') }, { source });
  expect(newerPrices.map(({ id }) => id)).toEqual(['gpt-4o-mini']);
  expect(changes.changed.map(({ fields }) => fields.map(({ field }) => field))).toEqual([['max_output']]);
});

test("a newer catalog price equal to the list's is not reported", async () => {
  const { newerPrices } = await sync(listedInput('0.15'), { source: { ...SOURCE, date: '2026-07-31' } });
  expect(newerPrices).toEqual([]);
});

test('a sync of prices only changes nothing else', async () => {
  const entry = { maxOutputTokens: 9, features: { tools: false }, ...listedInput('0.12') };
  const list = listOf(entry, { id: 'new', category: 'chat', ...listedInput('1') });
  await syncCatalog(directory, requestOf(list, { pricesOnly: true, includeNew: true }));
  expect((await rows()).map(({ id, facts }) => [id, Object.keys(facts)])).toEqual([['gpt-4o-mini', ['pricing']]]);
});

test('concurrent syncs lose no changes of each other', async () => {
  await Promise.all([
    sync({ maxOutputTokens: 9 }),
    sync({ contextTokens: 5 }),
    sync({ id: 'gpt-4o', contextTokens: 6 }),
  ]);
  expect((await rows()).map(({ id, facts }) => [id, facts.capabilities])).toEqual([
    ['gpt-4o', { contextTokens: 6 }],
    ['gpt-4o-mini', { maxOutputTokens: 9, contextTokens: 5 }],
  ]);
});

test.each([
  ['everything', { provider: null, id: null }, 0],
  ['one provider', { provider: 'openai', id: null }, 0],
  ['another provider', { provider: 'groq', id: null }, 2],
  ['one model', { provider: null, id: 'gpt-4o' }, 1],
  ['one model of another provider', { provider: 'groq', id: 'gpt-4o' }, 2],
])('resetting %s keeps the rest', async (_, selection, left) => {
  await sync({ maxOutputTokens: 9 });
  await sync({ id: 'gpt-4o', maxOutputTokens: 9 });
  const taken = await resetCatalog(directory, selection);
  expect([taken.length, (await rows()).length]).toEqual([2 - left, left]);
});

/** Checks that the catalog is what was planned, and that the same list then changes nothing. */
function expectDone(before: readonly SyncedModel[], request: SyncRequest): readonly SyncedModel[] {
  const { changes, rows } = planSync(before, request);
  const byKey = new Map([...before, ...rows].map((row) => [`${row.provider} ${row.id}`, row]));
  const after = [...byKey.values()];
  const modelFacts = new ModelFacts(request.providers, after);
  for (const model of [...changes.changed.map((change) => change.model), ...changes.added]) {
    expect(modelFacts.of(model.provider, model.id)).toEqual(model);
  }
  expect(planSync(after, request)).toMatchObject({ rows: [], changes: { changed: [], added: [] } });
  return after;
}

test.each([
  ['LiteLLM', litellmSample],
  ['models.dev', modelsDevSample],
])('syncing the same %s list again changes nothing', (_, sample) => {
  const parsed = parsePriceList(sample, shippedProviders);
  if (!parsed.ok) throw new Error(parsed.problem);
  const request = requestOf(parsed.list, { providers: shippedProviders, includeNew: true, source: LATER });
  const after = expectDone([], request);
  const current = [...new ModelFacts(shippedProviders, after).models()];
  const found = changesBetween(current, parsed.list.entries, { includeNew: true, source: LATER });
  expect(after.length).toBeGreaterThan(3);
  expect([found.changed, found.added]).toEqual([[], []]);
});

const price = fc.constantFrom('0.5', '1', '1.0', '2', '0.3333', '0.33333333');
const prices = fc.dictionary(
  fc.constantFrom<PriceKey>('input_per_1m', 'cached_input_per_1m', 'output_per_1m', 'reasoning_per_1m', 'per_image'),
  price,
  { minKeys: 1 },
);
/** Tiers in which 32k and 200k are written in several ways, as may happen within one list. */
const tiersOf = fc
  .uniqueArray(fc.tuple(fc.constantFrom(32_000, 32_768, 199_999, 200_000, 204_800), prices), {
    selector: ([bound]) => bound,
  })
  .map((tiers) =>
    tiers
      .map(([aboveInputTokens, own]) => ({ aboveInputTokens, prices: own }))
      .toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens),
  );
const stated = <Name extends string>(names: readonly Name[]) => fc.dictionary(fc.constantFrom(...names), fc.boolean());
const facts = fc.record(
  {
    category: fc.constantFrom(...MODEL_CATEGORIES),
    releasedAtMs: fc.constantFrom(0, 86_400_000),
    input: stated(MODALITIES),
    output: stated(MODALITIES),
    features: stated(MODEL_FEATURES),
    contextTokens: fc.constantFrom(1, 128_000),
    inputTokens: fc.constantFrom(1, 200_000),
    maxOutputTokens: fc.constantFrom(1, 2),
    dimensions: fc.constantFrom(1, 2),
    pricing: fc.record({ prices, tiers: tiersOf }),
  },
  { requiredKeys: [] },
);
const lists = fc
  .tuple(facts, facts, facts)
  .map(([one, other, unknown]) => listOf(one, { id: 'gpt-4o', ...other }, { id: 'new', ...unknown }));
const shippedPricing = fc.oneof(
  fc.constant(null),
  fc.constant('free' as const),
  prices,
  fc.tuple(prices, prices, tiersOf).map(([first, second, own]) => [
    { effectiveFromMs: null, prices: first, tiers: [] },
    { effectiveFromMs: Date.parse('2026-11-25'), prices: second, tiers: own },
  ]),
);

test('the catalog is as promised after any sequence of lists', () => {
  const steps = fc.array(fc.tuple(lists, fc.constantFrom(SOURCE, LATER), fc.boolean()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(shippedPricing, fc.constantFrom(...MODEL_CATEGORIES), steps, (pricing, category, syncs) => {
      const priceSource = pricing === null ? null : { url: null, date: '2026-11-22' };
      const models = [catalogModel({ pricing, priceSource, category }), catalogModel({ id: 'gpt-4o' })];
      const own = new Map([['openai', { models: () => models }]]);
      let synced: readonly SyncedModel[] = [];
      for (const [list, source, includeNew] of syncs) {
        synced = expectDone(synced, requestOf(list, { providers: own, includeNew, source }));
      }
    }),
    { numRuns: 300 },
  );
});
