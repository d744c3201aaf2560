import { parseTime } from '../../domain/access/expiry.ts';
import type { Modality, ModelFeature } from '../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { PriceKey, Prices, PriceTier } from '../../domain/money/pricing.ts';
import {
  checkedId,
  countAt,
  flagAt,
  isObject,
  type JsonObject,
  known,
  ListReader,
  MalformedEntry,
  modalitiesAt,
  objectAt,
  priceAt,
  textAt,
} from './list-entry.ts';
import { categoryByName } from './model-category.ts';
import { makerOf } from './model-owner.ts';
import type { KnownProviders, ListedPricing, PriceList, PriceListModel, Stated } from './price-list-model.ts';

/** The names of manifests by the list's ids, if they differ. */
const PROVIDER_OF_ID: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'bedrock'],
  ['azure', 'azure-openai'],
  ['fireworks-ai', 'fireworks'],
  ['google-vertex', 'vertex'],
  ['google-vertex-anthropic', 'vertex'],
  ['moonshotai', 'moonshot'],
  ['togetherai', 'together'],
]);

/** Local servers have no prices that a list could know. */
const LOCAL_SERVERS: ReadonlySet<string> = new Set(['llamacpp', 'lmstudio', 'ollama', 'vllm', 'local', 'sandbox']);

const MAXIMUM_TIERS = 10;

/** The number of decimals to which most of its prices are rounded. */
const DECIMALS = 2;

/** The bound of the tier `context_over_200k`. */
const LONG_CONTEXT_TOKENS = 200_000;

/** Members with prices in USD per million tokens. */
const COST_MEMBERS: readonly (readonly [PriceKey, string])[] = [
  ['input_per_1m', 'input'],
  ['cached_input_per_1m', 'cache_read'],
  ['cache_write_per_1m', 'cache_write'],
  ['output_per_1m', 'output'],
  ['reasoning_per_1m', 'reasoning'],
  ['audio_input_per_1m', 'input_audio'],
  ['audio_output_per_1m', 'output_audio'],
];

/** Returns whether it looks like a provider in models.dev's list, which has models that are objects. */
export function isModelsDevEntry(entry: unknown): boolean {
  if (!isObject(entry) || !isObject(entry.models)) return false;
  return Object.values(entry.models).every(isObject);
}

/** Reads models.dev's `api.json`: a map of providers, each with its `models` by id and prices in USD per million tokens. */
export function readModelsDevList(list: JsonObject, providers: KnownProviders): PriceList {
  const reader = new ListReader();
  for (const [id, entry] of Object.entries(list)) {
    const provider = PROVIDER_OF_ID.get(id) ?? id;
    const models = isObject(entry) && isObject(entry.models) ? entry.models : {};
    if (!providers.has(provider) || LOCAL_SERVERS.has(provider)) {
      reader.skip(Object.keys(models).length);
      continue;
    }
    for (const [modelId, model] of Object.entries(models)) {
      reader.add(`${id}/${modelId}`, () => modelFrom(provider, modelId, model));
    }
  }
  return reader.finish('models.dev');
}

function modelFrom(provider: string, listedId: string, entry: unknown): PriceListModel {
  if (!isObject(entry)) throw new MalformedEntry('it is not an object');
  // At Vertex, `@default` means the same as no version.
  const id = checkedId(provider === 'vertex' ? listedId.replace(/@default$/, '') : listedId);
  const modalities = objectAt(entry, 'modalities') ?? {};
  const input = modalitiesAt(modalities, 'input');
  const output = modalitiesAt(modalities, 'output');
  const limit = objectAt(entry, 'limit') ?? {};
  return {
    provider,
    id,
    ...known({
      name: textAt(entry, 'name'),
      ownedBy: makerOf(provider, id),
      category: categoryByName(id, categoryFrom(id, input, output), output.includes('audio')),
      releasedAtMs: dayAt(entry, 'release_date'),
      isDeprecated: entry.status === 'deprecated' ? (true as const) : undefined,
      input: allThere(input),
      output: allThere(output),
      features: featuresOf(entry),
      contextTokens: countAt(limit, 'context'),
      maxOutputTokens: countAt(limit, 'output'),
      pricing: pricingFrom(objectAt(entry, 'cost')),
    }),
  };
}

/** Returns the category that input and output imply, since the list has no categories; `undefined` if they imply none. */
function categoryFrom(id: string, input: readonly Modality[], output: readonly Modality[]): ModelCategory | undefined {
  const takesText = input.includes('text');
  if (output.includes('text')) {
    // The list states both audio and image output for some models that have neither.
    if (takesText) return output.includes('audio') && !output.includes('image') ? 'audio' : 'chat';
    return input.length === 1 && input[0] === 'audio' ? 'stt' : undefined;
  }
  if (!takesText || output.length !== 1) return undefined;
  if (output[0] === 'image' || output[0] === 'video') return output[0];
  return output[0] === 'audio' && /tts|speech/i.test(id) ? 'tts' : undefined;
}

/** Returns the modalities as present. Absent ones are not denied, since many lists of modalities are incomplete. */
function allThere(modalities: readonly Modality[]): Stated<Modality> | undefined {
  if (modalities.length === 0) return undefined;
  return Object.fromEntries(modalities.map((modality) => [modality, true]));
}

function featuresOf(entry: JsonObject): Stated<ModelFeature> | undefined {
  const features = known({
    tools: flagAt(entry, 'tool_call'),
    reasoning: flagAt(entry, 'reasoning'),
    structured_output: flagAt(entry, 'structured_output'),
  });
  return Object.keys(features).length === 0 ? undefined : features;
}

/** Returns the time of a day written as `YYYY-MM-DD`; a month without a day is too imprecise. */
function dayAt(entry: JsonObject, member: string): number | undefined {
  const text = textAt(entry, member);
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = parseTime(text);
  if (!day.ok) throw new MalformedEntry(`${member} is not a date`);
  return day.timeMs;
}

function pricingFrom(cost: JsonObject | undefined): ListedPricing | undefined {
  if (cost === undefined) return undefined;
  const prices = pricesFrom(cost);
  if (Object.keys(prices).length === 0) return undefined;
  const unreadOutputCosts = Object.keys(cost).filter(
    (member) => member.startsWith('output_') && cost[member] && !COST_MEMBERS.some(([, read]) => read === member),
  );
  const unread = unreadOutputCosts.length === 0 ? {} : { unreadOutputCosts };
  return { prices, tiers: tiersOf(cost), decimals: DECIMALS, ...unread };
}

function pricesFrom(cost: JsonObject): Prices {
  return known(Object.fromEntries(COST_MEMBERS.map(([key, member]) => [key, priceAt(cost, member, 0)])));
}

/** Returns the tiers. If there are `tiers`, `context_over_200k` only repeats them less exactly. */
function tiersOf(cost: JsonObject): readonly PriceTier[] {
  const listed = cost.tiers ?? [];
  if (!Array.isArray(listed) || listed.length > MAXIMUM_TIERS)
    throw new MalformedEntry('tiers is not a list, or is too long');
  const byBound = new Map<number, PriceTier>();
  for (const tier of listed as readonly unknown[]) {
    if (!isObject(tier)) throw new MalformedEntry('tiers has an entry that is not an object');
    const bound = objectAt(tier, 'tier');
    const aboveInputTokens = bound?.type === 'context' ? countAt(bound, 'size') : undefined;
    if (aboveInputTokens !== undefined) byBound.set(aboveInputTokens, { aboveInputTokens, prices: pricesFrom(tier) });
  }
  const overLong = objectAt(cost, 'context_over_200k');
  if (byBound.size === 0 && overLong !== undefined) {
    byBound.set(LONG_CONTEXT_TOKENS, { aboveInputTokens: LONG_CONTEXT_TOKENS, prices: pricesFrom(overLong) });
  }
  return [...byBound.values()]
    .filter((tier) => Object.keys(tier.prices).length > 0)
    .sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
}
