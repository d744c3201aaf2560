import { type Capabilities, MODEL_FEATURES, type ModelFeature } from '../../../domain/catalog/capabilities.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { CHAT_OPERATIONS } from '../../../domain/catalog/model-operation.ts';
import type { Scene } from '../../../domain/catalog/model-tags.ts';
import type { Preference } from '../../../domain/catalog/preference.ts';
import { publicContractOf, publicContractSummaryOf } from '../../../domain/catalog/public-contract.ts';
import { type CurrentPrices, pricingUnit } from '../../../domain/money/current-prices.ts';
import { pricePerToken } from '../../../domain/money/nano-usd.ts';
import {
  PRICE_KEYS,
  type PriceKey,
  type PriceSource,
  type Prices,
  VARIANT_PRICE_KEYS,
} from '../../../domain/money/pricing.ts';

export interface ListedFor {
  /** The caller's purpose for the model; `null` if the query does not state it. */
  readonly scene: Scene | null;
  readonly preferences: ScenePreferences | null;
}

/**
 * Returns the contract's Model object as the list returns it. `vendorKey` names the member that holds the gateway's own metadata.
 */
export function modelInList(listed: ListedModel, vendorKey: string, { scene, preferences }: ListedFor): object {
  return modelObject(listed.model, vendorKey, { ...listMetadata(listed, scene), ...agentPreferences(preferences) });
}

/** Returns the Model object with the metadata that only the detail route returns. */
export function modelInDetail(listed: ListedModel, vendorKey: string, preferences: ScenePreferences | null): object {
  const { model } = listed;
  return modelObject(model, vendorKey, {
    ...listMetadata(listed),
    capability_flags: model.capabilities && capabilityFlags(model.capabilities),
    public_contract: {
      display_name: model.name,
      description: model.description,
      tags: [...new Set([model.category, ...model.tags])],
      ...publicContractOf(model),
    },
    ...agentPreferences(preferences),
  });
}

function modelObject({ id, createdAtMs, ownedBy }: Model, vendorKey: string, vendor: object): object {
  return { id, object: 'model', created: Math.floor(createdAtMs / 1000), owned_by: ownedBy, [vendorKey]: vendor };
}

function listMetadata({ model, prices }: ListedModel, scene: Scene | null = null): object {
  const operations = model.operations.filter((operation) => !CHAT_OPERATIONS.includes(operation));
  return {
    category: model.category,
    pricing_unit: prices && pricingUnit(prices === 'free' ? prices : prices.prices),
    supported_operations: operations.length === 0 ? null : operations,
    pricing_provenance: model.priceSource && {
      source: sourceOf(model.priceSource),
      url: model.priceSource.url,
      as_of: model.priceSource.date,
    },
    public_contract_summary: publicContractSummaryOf(model.operations, scene),
  };
}

/** Returns the source; a price that an operator has set has neither a source URL nor a date. */
function sourceOf({ url, date }: PriceSource): string {
  if (url !== null) return 'price_list';
  return date === null ? 'operator' : 'catalog';
}

/** Returns all features, each with whether the model has it, so that clients do not have to know the names. */
function capabilityFlags(capabilities: Capabilities): object {
  const { input, output, features, contextTokens, maxOutputTokens, dimensions } = capabilities;
  return {
    ...Object.fromEntries(MODEL_FEATURES.map((feature) => [feature, features.includes(feature)])),
    vision: input.includes('image'),
    input_modalities: input,
    output_modalities: output,
    context_window: contextTokens,
    max_output_tokens: maxOutputTokens,
    ...(dimensions === null ? {} : { dimensions }),
  };
}

function agentPreferences(preferences: ScenePreferences | null): object {
  if (preferences === null) return {};
  const entries = Object.entries(preferences).map(([scene, preference]) => [scene, agentPreference(preference)]);
  return { agent_preferences: Object.fromEntries(entries) };
}

function agentPreference({ rank, successRate, sampleCount, status, updatedAtMs }: ScenePreference): object {
  return {
    preferred_rank: rank,
    success_rate_24h: successRate,
    sample_count_24h: sampleCount,
    status,
    updated_at: new Date(updatedAtMs).toISOString(),
    // The contract requires these two to be null: clients must not learn which channel or upstream model was measured.
    basis: { score_source: 'success_rate_24h', channel_id: null, physical_model: null },
  };
}

/** Returns the contract's Pricing object, with the model's further prices under the names that the configuration uses. */
export function pricingObject({ model, prices }: ListedModel): object {
  const now: Prices = prices === 'free' ? { input_per_1m: '0', output_per_1m: '0' } : (prices?.prices ?? {});
  const tiers = prices === null || prices === 'free' ? [] : prices.tiers;
  const further = [...PRICE_KEYS, ...VARIANT_PRICE_KEYS].filter((key) => !(key in BASIC) && now[key] !== undefined);
  return {
    model: model.id,
    pricing: {
      input_per_1m: now.input_per_1m ?? null,
      output_per_1m: now.output_per_1m ?? null,
      per_request: now.per_request ?? null,
      // True only if the price is fixed for every request: no other price may be added to it.
      is_lock_price: now.per_request !== undefined && Object.keys(now).length === 1 && tiers.length === 0,
      currency: 'USD',
      ...Object.fromEntries(further.map((key) => [key, now[key]])),
      ...(tiers.length === 0
        ? {}
        : {
            tiers: tiers.map(({ aboveInputTokens, prices }) => ({ above_input_tokens: aboveInputTokens, ...prices })),
          }),
    },
    provider: model.ownedBy,
  };
}

const BASIC = { input_per_1m: true, output_per_1m: true, per_request: true };

/** A model's rank in a scene, and the age of the numbers behind it. */
export interface ScenePreference extends Omit<Preference, 'modelId'> {
  /** When the numbers were counted, in milliseconds since 1970. */
  readonly updatedAtMs: number;
}

/** A model as clients see it. */
export interface ListedModel {
  readonly model: Model;
  /** The prices in force now; `null` if no price is known. */
  readonly prices: CurrentPrices | 'free' | null;
}

export type ScenePreferences = Readonly<Partial<Record<Scene, ScenePreference>>>;

/* A model as OpenRouter lists it (API reference, "List all models and their properties"). Its SDK needs every member. */

const PER_TOKEN: Readonly<Record<string, PriceKey>> = {
  prompt: 'input_per_1m',
  completion: 'output_per_1m',
  input_cache_read: 'cached_input_per_1m',
  input_cache_write: 'cache_write_per_1m',
  input_cache_write_1h: 'cache_write_1h_per_1m',
  internal_reasoning: 'reasoning_per_1m',
  audio: 'audio_input_per_1m',
  audio_output: 'audio_output_per_1m',
  image_token: 'image_input_per_1m',
  image_output: 'image_output_per_1m',
};
const PER_PIECE: Readonly<Record<string, PriceKey>> = {
  request: 'per_request',
  image: 'per_image',
  web_search: 'per_web_search',
};
/** The price that OpenRouter's list has where none can be told. */
const UNKNOWN = '-1';

const PARAMETERS: Readonly<Partial<Record<ModelFeature, readonly string[]>>> = {
  tools: ['tools', 'tool_choice'],
  parallel_tools: ['parallel_tool_calls'],
  reasoning: ['reasoning', 'include_reasoning'],
  structured_output: ['structured_outputs', 'response_format'],
  json_mode: ['response_format'],
  web_search: ['web_search_options'],
  logprobs: ['logprobs', 'top_logprobs'],
};

/** Returns the members that OpenRouter's models have besides `id` and `created`. */
export function openRouterMembers({ model, prices }: ListedModel): object {
  const { id, name, description, capabilities } = model;
  const input = capabilities?.input ?? [];
  const output = capabilities?.output ?? [];
  const contextTokens = capabilities?.contextTokens ?? null;
  const parameters = (capabilities?.features ?? []).flatMap((feature) => PARAMETERS[feature] ?? []);
  return {
    name,
    ...(description !== null && { description }),
    canonical_slug: id,
    context_length: contextTokens,
    architecture: {
      modality: capabilities && `${input.join('+')}->${output.join('+')}`,
      ...{ input_modalities: input, output_modalities: output },
    },
    pricing: pricingOf(prices === 'free' ? { input_per_1m: '0', output_per_1m: '0' } : (prices?.prices ?? null)),
    top_provider: {
      context_length: contextTokens,
      max_completion_tokens: capabilities?.maxOutputTokens ?? null,
      is_moderated: false,
    },
    supported_parameters: [...new Set(parameters)],
    links: { details: `/v1/models/${id}` },
    ...{ default_parameters: null, per_request_limits: null, supported_voices: null },
  };
}

/** A model with prices has both that OpenRouter requires; the price that it does not have is zero. */
function pricingOf(prices: Prices | null): object {
  const none = prices === null ? UNKNOWN : '0';
  const pricing: Record<string, string> = { prompt: none, completion: none };
  for (const [name, key] of Object.entries(PER_TOKEN)) {
    const price = prices?.[key];
    if (price !== undefined) pricing[name] = pricePerToken(price);
  }
  for (const [name, key] of Object.entries(PER_PIECE)) {
    const price = prices?.[key];
    if (price !== undefined) pricing[name] = price;
  }
  return pricing;
}
