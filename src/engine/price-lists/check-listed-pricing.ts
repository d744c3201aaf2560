import type { Modality } from '../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { PriceKey, Prices } from '../../domain/money/pricing.ts';
import { comparablePrice, isSamePrice } from './decimal-price.ts';
import { listedPeriod, tierAt } from './merge-pricing.ts';
import type { ListedPricing } from './price-list-model.ts';

export type CheckedPricing =
  | { readonly ok: true; readonly pricing: ListedPricing }
  /** `problem` says which price cannot be right, and why. */
  | { readonly ok: false; readonly problem: string };

type PricedModel = Pick<CatalogModel, 'category' | 'ownedBy' | 'capabilities' | 'pricing'>;

/** The lowest plausible price in USD per million tokens, which nothing known undercuts, not even cached input. */
const MINIMUM_USD = '0.001';
/** The lowest plausible price of image and audio tokens. Lower ones in lists are prices per step, mistaken for prices per token. */
const MINIMUM_MEDIA_USD = '0.01';
/**
 * The highest plausible price of vectors. Text costs at most a fifth of a dollar and audio seven, so a higher price confuses a thousand
 * tokens with a million.
 */
const MAXIMUM_VECTOR_USD = '10';
/** The largest plausible factor between two prices of a model from one list to the next. */
const MAXIMUM_CHANGE = 20n;

const VECTOR_CATEGORIES: ReadonlySet<ModelCategory> = new Set(['embedding', 'rerank']);
const MEDIA_CATEGORIES: ReadonlySet<ModelCategory> = new Set(['image', 'video', 'audio', 'tts', 'music', '3d']);
const MEDIA: ReadonlySet<Modality> = new Set(['image', 'video', 'audio', '3d']);

/** Google lists the price of storing a prompt for an hour, which is charged in addition to reading it. */
const LISTS_STORAGE_ALONE = 'google';

/**
 * Returns a list's prices of a model without known mistakes, if all of the others are plausible. If one is wrong, the others cannot be
 * trusted either, and an incomplete price is a wrong price.
 */
export function checkListedPricing(listed: ListedPricing, model: PricedModel, day: string | null): CheckedPricing {
  const pricing = withoutMistakes(listed, model, day);
  const problem =
    outOfBounds(pricing, model) ??
    halfPriced(pricing, model) ??
    withoutMedium(pricing, model, day) ??
    tooFarFrom(model, pricing, day);
  return problem === null ? { ok: true, pricing } : { ok: false, problem };
}

function outOfBounds(pricing: ListedPricing, { category }: PricedModel): string | null {
  const minimum = MEDIA_CATEGORIES.has(category) ? MINIMUM_MEDIA_USD : MINIMUM_USD;
  for (const [field, price] of tokenPricesOf(pricing)) {
    if (comparablePrice(price) < comparablePrice(minimum)) return `${field} ${price} is below ${minimum}`;
    if (VECTOR_CATEGORIES.has(category) && comparablePrice(price) > comparablePrice(MAXIMUM_VECTOR_USD)) {
      return `${field} ${price} is above ${MAXIMUM_VECTOR_USD}`;
    }
  }
  return null;
}

function halfPriced({ prices, unreadOutputCosts = [] }: ListedPricing, model: PricedModel): string | null {
  const isMedia = MEDIA_CATEGORIES.has(model.category) || model.capabilities.output.some((kind) => MEDIA.has(kind));
  const [unread] = unreadOutputCosts;
  if (!isMedia || unread === undefined || !Object.keys(prices).some(isTokenPrice)) return null;
  return `the output also has a price of another kind (${unread})`;
}

/** The prices that such a model must have one of: with only the price of text, its media would be free. */
const MEDIUM_PRICES: Readonly<Partial<Record<ModelCategory, readonly PriceKey[]>>> = {
  image: ['image_output_per_1m', 'per_image', 'per_request'],
  video: ['per_second', 'per_clip', 'per_request'],
  audio: ['audio_output_per_1m', 'per_second'],
  music: ['audio_output_per_1m', 'per_second', 'per_clip', 'per_request'],
};

function withoutMedium(
  { prices }: ListedPricing,
  { category, pricing }: PricedModel,
  day: string | null,
): string | null {
  const keys = MEDIUM_PRICES[category];
  const known = listedPeriod(pricing, day)?.prices ?? {};
  const isThere = (key: PriceKey) => prices[key] !== undefined || known[key] !== undefined;
  if (keys === undefined || keys.some(isThere) || known.output_per_1m !== undefined) return null;
  return Object.keys(prices).some(isTokenPrice) ? `tokens have prices, but the ${category} output has none` : null;
}

function tooFarFrom({ pricing }: PricedModel, listed: ListedPricing, day: string | null): string | null {
  const current = listedPeriod(pricing, day);
  if (current === null) return null;
  const tiers = listed.tiers.map(({ aboveInputTokens, prices }) => ({
    suffix: ` above ${aboveInputTokens}`,
    prices,
    known: tierAt(current.tiers, aboveInputTokens)?.prices ?? {},
  }));
  for (const { suffix, prices, known } of [{ suffix: '', prices: listed.prices, known: current.prices }, ...tiers]) {
    for (const [key, price] of entriesOf(prices)) {
      const before = known[key];
      if (before !== undefined && isFar(before, price)) {
        return `${key}${suffix} ${before} → ${price} is more than ${MAXIMUM_CHANGE} times as ${isLess(before, price) ? 'much' : 'little'}`;
      }
    }
  }
  return null;
}

function isFar(one: string, other: string): boolean {
  const [a, b] = [comparablePrice(one), comparablePrice(other)];
  // A free model has a price of zero, from which no factor leads to its first real price.
  return a !== 0n && b !== 0n && (a > b * MAXIMUM_CHANGE || b > a * MAXIMUM_CHANGE);
}

function isLess(one: string, other: string): boolean {
  return comparablePrice(one) < comparablePrice(other);
}

function withoutMistakes(listed: ListedPricing, model: PricedModel, day: string | null): ListedPricing {
  const known = listedPeriod(model.pricing, day)?.prices ?? {};
  const corrected = (prices: Prices, base: Prices): Prices =>
    Object.fromEntries(
      entriesOf(prices).filter(([key, price]) => {
        const input = prices.input_per_1m ?? base.input_per_1m;
        if (model.ownedBy === LISTS_STORAGE_ALONE && isStorageAlone(key, price, input)) return false;
        if (key !== 'output_per_1m') return true;
        // The output of a speech model is audio only.
        const isNeverText = model.category === 'tts' && prices.audio_output_per_1m !== undefined;
        return !isNeverText && !isMediaPrice(price, prices, known);
      }),
    );
  const tiers = listed.tiers.map((tier) => ({ ...tier, prices: corrected(tier.prices, listed.prices) }));
  return {
    ...listed,
    prices: corrected(listed.prices, {}),
    tiers: tiers.filter((tier) => Object.keys(tier.prices).length > 0),
  };
}

function isStorageAlone(key: PriceKey, price: string, input: string | undefined): boolean {
  return key.startsWith('cache_write') && input !== undefined && isLess(price, input);
}

/** Returns whether the price of text output is that of images or audio, for which the list has no field. */
function isMediaPrice(output: string, listed: Prices, known: Prices): boolean {
  const keys: readonly PriceKey[] = ['image_output_per_1m', 'audio_output_per_1m'];
  return keys.some((key) => {
    const price = known[key];
    return price !== undefined && listed[key] === undefined && isSamePrice(price, output);
  });
}

function* tokenPricesOf({ prices, tiers }: ListedPricing): Generator<readonly [string, string]> {
  yield* entriesOf(prices).filter(([key]) => isTokenPrice(key));
  for (const { aboveInputTokens, prices: own } of tiers) {
    for (const [key, price] of entriesOf(own)) yield [`${key} above ${aboveInputTokens}`, price];
  }
}

function isTokenPrice(key: string): boolean {
  return key.endsWith('_per_1m');
}

function entriesOf(prices: Prices): (readonly [PriceKey, string])[] {
  return Object.entries(prices) as (readonly [PriceKey, string])[];
}
