import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { PriceKey, Prices, PriceTier } from '../../domain/money/pricing.ts';
import { isObject, type JsonObject, known, MalformedEntry, priceAt } from './list-entry.ts';
import type { ListedPricing } from './price-list-model.ts';

const PER_TOKEN = 6;
const PER_PIECE = 0;
const MAXIMUM_TIERS = 10;

/** The members for each kind of token, of which the first that is present counts. */
const TOKEN_MEMBERS: readonly (readonly [PriceKey, readonly string[]])[] = [
  ['input_per_1m', ['input_cost_per_token']],
  ['cached_input_per_1m', ['cache_read_input_token_cost', 'input_cost_per_token_cache_hit']],
  ['cache_write_per_1m', ['cache_creation_input_token_cost']],
  ['cache_write_1h_per_1m', ['cache_creation_input_token_cost_above_1hr']],
  ['output_per_1m', ['output_cost_per_token']],
  ['reasoning_per_1m', ['output_cost_per_reasoning_token']],
  ['audio_input_per_1m', ['input_cost_per_audio_token']],
  ['audio_output_per_1m', ['output_cost_per_audio_token']],
  ['image_input_per_1m', ['input_cost_per_image_token']],
  ['image_output_per_1m', ['output_cost_per_image_token']],
];

/**
 * The members for the units in which models of a category are sold. A chat model's costs per second or character are another measure of its
 * tokens, and would be charged twice.
 */
const PIECE_MEMBERS: Readonly<Partial<Record<ModelCategory, readonly (readonly [PriceKey, readonly string[]])[]>>> = {
  image: [['per_image', ['output_cost_per_image', 'input_cost_per_image']]],
  video: [['per_second', ['output_cost_per_second', 'output_cost_per_video_per_second']]],
  tts: [
    ['per_character', ['input_cost_per_character']],
    ['per_second', ['output_cost_per_second']],
  ],
  stt: [['per_second', ['input_cost_per_second', 'output_cost_per_second']]],
  rerank: [['per_request', ['input_cost_per_query']]],
};

/** Other measures of what tokens cost, each with the members for those tokens. */
const SAME_MEASURE: ReadonlyMap<string, readonly string[]> = new Map([
  ['output_cost_per_image', ['output_cost_per_image_token']],
  ['output_cost_per_second', ['output_cost_per_audio_token']],
  ['output_cost_per_character', ['output_cost_per_audio_token']],
]);

/** Members for answers that come later, faster or from elsewhere, at a price of their own. */
const OTHER_SERVICE = /_(?:batches|flex|priority|ultrafast|decisions)$/;

const ABOVE = /_above_(\d{1,6})k_tokens$/;

/** Returns the prices of an entry, or `undefined` if it has none. Throws `MalformedEntry`. */
export function litellmPricing(entry: JsonObject, category: ModelCategory | undefined): ListedPricing | undefined {
  const tokens = tokenPrices(entry, '');
  const bands = bandsOf(entry);
  const base: Prices = { ...bands.find((band) => band.aboveInputTokens === 0)?.prices, ...tokens };
  const prices: Prices = { ...withPieces(base, entry, category), ...perRequest(entry) };
  if (Object.keys(prices).length === 0) return undefined;
  const tiers = [...tiersOf(entry), ...bands.filter((band) => band.aboveInputTokens > 0)];
  const unreadOutputCosts = unreadOf(entry, category);
  return { prices, tiers: distinct(tiers), ...(unreadOutputCosts.length === 0 ? {} : { unreadOutputCosts }) };
}

/** Returns the members that are neither read nor another measure of those that are. */
function unreadOf(entry: JsonObject, category: ModelCategory | undefined): readonly string[] {
  const pieces = category === undefined ? [] : (PIECE_MEMBERS[category] ?? []);
  const read = new Set([...TOKEN_MEMBERS, ...pieces].flatMap(([, members]) => members));
  const isThere = (member: string) => (entry[member] ?? 0) !== 0;
  return Object.keys(entry).filter((member) => {
    if (!member.startsWith('output_cost_') || OTHER_SERVICE.test(member) || !isThere(member)) return false;
    const plain = member.replace(ABOVE, '');
    return !read.has(plain) && !SAME_MEASURE.get(plain)?.some(isThere);
  });
}

function withPieces(tokens: Prices, entry: JsonObject, category: ModelCategory | undefined): Prices {
  const pieces = category === undefined ? [] : (PIECE_MEMBERS[category] ?? []);
  const [key, price] = firstPrice(entry, pieces);
  if (price === undefined) return tokens;
  if (Object.keys(tokens).length === 0) return { [key]: price };
  // An image without a price for its tokens is sold as a whole; the prompt is charged in addition.
  if (category !== 'image' || tokens.image_output_per_1m !== undefined) return tokens;
  const { output_per_1m: _textOnly, ...prompt } = tokens;
  return { ...prompt, [key]: price };
}

function firstPrice(
  entry: JsonObject,
  pieces: readonly (readonly [PriceKey, readonly string[]])[],
): readonly [PriceKey, string | undefined] {
  for (const [key, members] of pieces) {
    const price = firstOf(entry, members, PER_PIECE);
    if (price !== undefined) return [key, price];
  }
  return ['per_image', undefined];
}

function perRequest(entry: JsonObject): Prices {
  return known({ per_request: priceAt(entry, 'input_cost_per_request', PER_PIECE) });
}

function tokenPrices(entry: JsonObject, suffix: string): Prices {
  return known(
    Object.fromEntries(
      TOKEN_MEMBERS.map(([key, members]) => [
        key,
        firstOf(
          entry,
          members.map((member) => member + suffix),
          PER_TOKEN,
        ),
      ]),
    ),
  );
}

function firstOf(entry: JsonObject, members: readonly string[], places: number): string | undefined {
  for (const member of members) {
    const price = priceAt(entry, member, places);
    if (price !== undefined) return price;
  }
  return undefined;
}

/**
 * Returns the tiers from members such as `input_cost_per_token_above_200k_tokens`. Other suffixes (`_batches`, `_priority`) are other
 * services.
 */
function tiersOf(entry: JsonObject): PriceTier[] {
  const suffixes = new Set(Object.keys(entry).flatMap((member) => ABOVE.exec(member)?.[0] ?? []));
  return [...suffixes].slice(0, MAXIMUM_TIERS).map((suffix) => ({
    aboveInputTokens: Number(ABOVE.exec(suffix)?.[1]) * 1000,
    prices: tokenPrices(entry, suffix),
  }));
}

/** Returns the tiers from `tiered_pricing`, each with a `range` of prompt tokens; the first range starts at zero. */
function bandsOf(entry: JsonObject): PriceTier[] {
  const bands = entry.tiered_pricing ?? [];
  if (!Array.isArray(bands) || bands.length > MAXIMUM_TIERS) {
    throw new MalformedEntry('tiered_pricing is not a list, or is too long');
  }
  return bands.map((band: unknown) => {
    const range = isObject(band) ? band.range : undefined;
    const from: unknown = Array.isArray(range) ? range[0] : undefined;
    if (!isObject(band) || typeof from !== 'number' || !Number.isInteger(from) || from < 0 || from > 1e9) {
      throw new MalformedEntry('tiered_pricing has a tier without a token range');
    }
    return { aboveInputTokens: from, prices: tokenPrices(band, '') };
  });
}

/** Returns the tiers in ascending order, without duplicate bounds, and without those that have no price. */
function distinct(tiers: readonly PriceTier[]): readonly PriceTier[] {
  const byBound = new Map<number, PriceTier>();
  for (const tier of tiers) {
    if (tier.aboveInputTokens === 0 || Object.keys(tier.prices).length === 0) continue;
    if (!byBound.has(tier.aboveInputTokens)) byBound.set(tier.aboveInputTokens, tier);
  }
  return [...byBound.values()].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
}
