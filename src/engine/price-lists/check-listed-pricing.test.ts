import { expect, test } from 'bun:test';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { ModelPricing, Prices } from '../../domain/money/pricing.ts';
import { checkListedPricing } from './check-listed-pricing.ts';
import type { ListedPricing } from './price-list-model.ts';
import { catalogModel } from './testing/catalog-model.ts';

const DAY = '2026-11-20';

function check(
  category: ModelCategory,
  prices: Prices,
  rest: Partial<ListedPricing> = {},
  pricing: ModelPricing = null,
) {
  return checkListedPricing({ prices, tiers: [], ...rest }, catalogModel({ category, pricing }), DAY);
}

/** Returns the problem, or `null` if there is none. */
const problemOf = (...args: Parameters<typeof check>) => {
  const checked = check(...args);
  return checked.ok ? null : checked.problem;
};

test.each([
  ['chat', { input_per_1m: '0.0009' }, 'input_per_1m 0.0009 is below 0.001'],
  ['chat', { input_per_1m: '0.001' }, null],
  ['image', { image_output_per_1m: '0.00013' }, 'image_output_per_1m 0.00013 is below 0.01'],
  ['image', { image_output_per_1m: '0.001' }, 'image_output_per_1m 0.001 is below 0.01'],
  ['image', { per_image: '0.0005' }, null],
  ['embedding', { input_per_1m: '100' }, 'input_per_1m 100 is above 10'],
  ['rerank', { input_per_1m: '10.01' }, 'input_per_1m 10.01 is above 10'],
  ['embedding', { input_per_1m: '10' }, null],
  ['chat', { input_per_1m: '100' }, null],
] as const)('a model of category %s with the prices %j: %p', (category, prices, problem) => {
  expect(problemOf(category, prices)).toBe(problem);
});

test('a tier has the same limits', () => {
  const tiers = [{ aboveInputTokens: 200_000, prices: { input_per_1m: '0.0001' } }];
  expect(problemOf('chat', { input_per_1m: '1' }, { tiers })).toBe('input_per_1m above 200000 0.0001 is below 0.001');
});

test.each([
  ['0.15', '3', null],
  ['0.15', '3.01', 'input_per_1m 0.15 → 3.01 is more than 20 times as much'],
  ['2', '0.1', null],
  ['2', '0.099', 'input_per_1m 2 → 0.099 is more than 20 times as little'],
  ['0', '5', null],
])('a price change from %s to %s: %p', (own, price, problem) => {
  expect(problemOf('chat', { input_per_1m: price }, {}, { input_per_1m: own })).toBe(problem);
});

test('a tier is compared with the one of the same bound', () => {
  const pricing = (price: string, aboveInputTokens: number) => [
    {
      effectiveFromMs: null,
      prices: { input_per_1m: '1' },
      tiers: [{ aboveInputTokens, prices: { input_per_1m: price } }],
    },
  ];
  const tiers = [{ aboveInputTokens: 200_000, prices: { input_per_1m: '50' } }];
  expect(problemOf('chat', {}, { tiers }, pricing('2', 199_999))).toBe(
    'input_per_1m above 200000 2 → 50 is more than 20 times as much',
  );
  expect(problemOf('chat', {}, { tiers }, pricing('2', 272_000))).toBeNull();
});

const unread = { unreadOutputCosts: ['output_cost_per_video_token'] };

test.each([
  ['video', { per_second: '0.1', output_per_1m: '9' }, true],
  ['video', { per_second: '0.1' }, false],
  ['audio', { audio_output_per_1m: '9' }, true],
  ['chat', { output_per_1m: '9' }, false],
] as const)('unknown costs of a model of category %s beside %j make its price incomplete: %p', (...args) => {
  const [category, prices, isRefused] = args;
  expect(problemOf(category, prices, unread)).toBe(
    isRefused ? 'the output also has a price of another kind (output_cost_per_video_token)' : null,
  );
});

test('a chat model that generates images also needs its media priced', () => {
  const { capabilities } = catalogModel();
  const model = catalogModel({ capabilities: { ...capabilities, output: ['text', 'image'] } });
  const listed = { prices: { output_per_1m: '9' }, tiers: [], ...unread };
  expect(checkListedPricing(listed, model, DAY)).toMatchObject({ ok: false });
});

test.each([
  ['image', { input_per_1m: '10', output_per_1m: '10' }, null, 'tokens have prices, but the image output has none'],
  ['image', { input_per_1m: '10', output_per_1m: '10' }, { image_output_per_1m: '40' }, null],
  ['image', { input_per_1m: '10', image_output_per_1m: '40' }, null, null],
  ['audio', { output_per_1m: '10' }, null, 'tokens have prices, but the audio output has none'],
  ['audio', { output_per_1m: '10' }, { output_per_1m: '9' }, null],
  ['tts', { output_per_1m: '10' }, null, null],
] as const)('a model of category %s with the prices %j over %j: %p', (category, prices, own, problem) => {
  expect(problemOf(category, prices, {}, own)).toBe(problem);
});

/** Returns the accepted pricing, or the problem. */
function believed(prices: Prices, model: Parameters<typeof catalogModel>[0], tiers: ListedPricing['tiers'] = []) {
  const checked = checkListedPricing({ prices, tiers }, catalogModel({ pricing: null, ...model }), DAY);
  return checked.ok ? checked.pricing : checked.problem;
}

const storage = { input_per_1m: '0.3', cache_write_per_1m: '0.083333' };

test('Google’s cache writes below the prompt price are storage only, and dropped', () => {
  const model = { provider: 'openrouter', id: 'google/gemini-2.5-flash', ownedBy: 'google' };
  const tiers = [
    { aboveInputTokens: 200_000, prices: { cache_write_per_1m: '0.25' } },
    { aboveInputTokens: 400_000, prices: { input_per_1m: '0.6', cache_write_per_1m: '0.9' } },
  ];
  expect(believed(storage, model, tiers)).toEqual({ prices: { input_per_1m: '0.3' }, tiers: tiers.slice(1) });
});

test('cache writes of other makers may cost less than the prompt', () => {
  expect(believed(storage, { provider: 'minimax', ownedBy: 'minimax' })).toEqual({ prices: storage, tiers: [] });
});

test('an image price is not taken for a text price', () => {
  const pricing = { input_per_1m: '0.3', output_per_1m: '2.50', image_output_per_1m: '30' };
  expect(believed({ output_per_1m: '30.00' }, { category: 'image', pricing })).toEqual({ prices: {}, tiers: [] });
});

test('the output of a speech model is audio', () => {
  expect(believed({ output_per_1m: '10', audio_output_per_1m: '12' }, { category: 'tts' })).toEqual({
    prices: { audio_output_per_1m: '12' },
    tiers: [],
  });
});
