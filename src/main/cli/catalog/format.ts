import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../../domain/catalog/category.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import {
  PRICE_KEYS,
  type PriceKey,
  type PriceSource,
  type Prices,
  VARIANT_PRICE_KEYS,
  type VariantPriceKey,
} from '../../../domain/money/pricing.ts';
import { CAPABILITIES, periodAt } from '../../../engine/admin/catalog/change-catalog.ts';

export const NO_VALUE = '-';

/** The first price that a model has represents its input or output. */
const INPUT_KEYS: readonly PriceKey[] = ['input_per_1m', 'audio_input_per_1m', 'image_input_per_1m'];
const OUTPUT_KEYS: readonly PriceKey[] = ['output_per_1m', 'image_output_per_1m', 'audio_output_per_1m'];
/** Models that may also produce text, but are used for something else. */
const MAIN_OUTPUT: Readonly<Partial<Record<ModelCategory, PriceKey>>> = {
  image: 'image_output_per_1m',
  tts: 'audio_output_per_1m',
};
const PIECES: readonly (readonly [PriceKey, string, VariantPriceKey?])[] = [
  ['per_image', 'image', 'per_image_variants'],
  ['per_second', 'second', 'per_second_variants'],
  ['per_clip', 'clip', 'per_clip_variants'],
  ['per_character', 'character'],
  ['per_request', 'request'],
  ['per_web_search', 'web search'],
];

/** Formats the price in force in USD: `0.15 / 0.60 per 1M`, `0.04 per image`, `free`; `?` if unknown. */
export function formatPrice({ pricing, category }: Pick<Model, 'pricing' | 'category'>, nowMs: number): string {
  if (pricing === null) return '?';
  if (pricing === 'free') return pricing;
  const { prices, tiers } = periodAt(pricing, nowMs);
  const words = [formatTokens(prices, category), ...PIECES.map((piece) => formatPiece(prices, piece))];
  const [first] = tiers;
  const bound = first === undefined ? '' : ` (to ${first.aboveInputTokens} tokens)`;
  return words.filter((word) => word !== null).join(' + ') + bound;
}

function formatTokens(prices: Prices, category: ModelCategory): string | null {
  const main = MAIN_OUTPUT[category];
  const input = firstOf(prices, INPUT_KEYS);
  const output = (main && prices[main]) ?? firstOf(prices, OUTPUT_KEYS);
  if (input === undefined && output === undefined) return null;
  return `${input ?? NO_VALUE}${output === undefined ? '' : ` / ${output}`} per 1M`;
}

function formatPiece(prices: Prices, [key, piece, variantKey]: (typeof PIECES)[number]): string | null {
  const price = prices[key];
  if (price !== undefined) return `${price} per ${piece}`;
  return variantKey === undefined || prices[variantKey] === undefined ? null : `per ${piece} by variant`;
}

function firstOf(prices: Prices, keys: readonly PriceKey[]): string | undefined {
  return keys.map((key) => prices[key]).find((price) => price !== undefined);
}

/** Formats all prices by their names in the configuration: `input_per_1m 0.15, output_per_1m 0.60`. */
export function formatPrices(prices: Prices): string {
  const general = PRICE_KEYS.flatMap((key) => (prices[key] === undefined ? [] : `${key} ${prices[key]}`));
  const ofVariants = VARIANT_PRICE_KEYS.flatMap((key) =>
    Object.entries(prices[key] ?? {}).map(([variant, price]) => `${key} ${variant} ${price}`),
  );
  return [...general, ...ofVariants].join(', ');
}

/** Formats where and when a price was read. */
export function formatSource({ url, date }: PriceSource): string {
  return `${url ?? 'source unknown'}${date === null ? '' : `, ${date}`}`;
}

/** Lists the facts that a list has supplied: `price, context, features`. */
export function formatFacts({ facts }: SyncedModel): string {
  const capabilities = (Object.keys(facts.capabilities ?? {}) as (keyof Capabilities)[]).map(
    (name) => CAPABILITIES[name],
  );
  const released = facts.releasedAtMs === undefined ? [] : ['released'];
  return [...(facts.pricing === undefined ? [] : ['price']), ...capabilities, ...released].join(', ');
}
