import { z } from 'zod';
import { type Capabilities, MODALITIES, MODEL_FEATURES } from '../../../domain/catalog/capabilities.ts';
import { MODEL_CATEGORIES } from '../../../domain/catalog/category.ts';
import { MODEL_STATUSES } from '../../../domain/catalog/model.ts';
import { OPERATIONS } from '../../../domain/catalog/model-operation.ts';
import { integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { modelPricing, pricingFrom } from '../../../providers/shared/price-syntax.ts';
import type { ConfiguredModel } from '../configuration/configuration.ts';
import { cacheOverrideFields, cacheOverridesFrom, cacheOverridesSchema } from './cache-section.ts';
import { batchPricePercent, fallbacks, modelId, name, pricingFields, strategy } from './fields.ts';
import { guardIds, guardsMember } from './guard.ts';
import { rulesFields, rulesFrom, rulesSchema } from './model-rules.ts';

const MOST_TAGS = 20;
const tag = text(
  'must be a word of 1 to 32 letters, digits, ".", "_", "-" or "+"',
  /^[\p{L}\p{N}][\p{L}\p{N}._+-]{0,31}$/u,
);

const LARGEST_TOKENS = 1_000_000_000;
const tokens = integer(`must be a whole number of tokens from 1 to ${LARGEST_TOKENS}`, 1, LARGEST_TOKENS);

export const capabilitiesSchema = z.strictObject(
  {
    input: listOf(oneOf(MODALITIES), 'modalities').nullish(),
    output: listOf(oneOf(MODALITIES), 'modalities').nullish(),
    features: listOf(oneOf(MODEL_FEATURES), 'features').nullish(),
    context: tokens.nullish(),
    max_output: tokens.nullish(),
    dimensions: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
  },
  MAP,
);

/** The declaration of a public model, as configuration files and the verbs of administration write it (docs/models.md). */
export const modelSchema = z.strictObject(
  {
    id: modelId,
    name: name.nullish(),
    description: text('must be a string of 1 to 500 characters', /^(?=.*\S)[^\p{Cc}]{1,500}$/u).nullish(),
    category: oneOf(MODEL_CATEGORIES).nullish(),
    owned_by: name.nullish(),
    status: oneOf(MODEL_STATUSES).nullish(),
    pricing: modelPricing.nullish(),
    strategy: strategy.nullish(),
    cache: cacheOverridesSchema.nullish(),
    capabilities: capabilitiesSchema.nullish(),
    operations: listOf(oneOf(OPERATIONS), 'operations')
      .min(1, { error: 'must name at least one operation; leave it out for those of the category' })
      .nullish(),
    rules: rulesSchema.nullish(),
    fallbacks: fallbacks.nullish(),
    guards: guardIds.nullish(),
    search: modelId.nullish(),
    batch_price_percent: batchPricePercent.nullish(),
    tags: listOf(tag, 'words')
      .max(MOST_TAGS, { error: `must have at most ${MOST_TAGS} words` })
      .nullish(),
  },
  MAP,
);

type FileModel = z.output<typeof modelSchema>;

/** Returns a checked declaration; `null` leaves a fact to the catalog. */
export function modelFrom(model: FileModel): ConfiguredModel {
  return {
    id: model.id,
    name: model.name ?? null,
    description: model.description ?? null,
    category: model.category ?? null,
    ownedBy: model.owned_by ?? null,
    status: model.status ?? null,
    pricing: model.pricing === 'unknown' ? 'unknown' : pricingFrom(model.pricing),
    strategy: model.strategy ?? null,
    cache: cacheOverridesFrom(model.cache ?? null),
    tags: model.tags ?? null,
    capabilities: model.capabilities == null ? null : capabilitiesFrom(model.capabilities),
    operations: model.operations ?? null,
    rules: rulesFrom(model.rules),
    fallbacks: model.fallbacks ?? [],
    ...guardsMember(model.guards),
    ...(model.search != null && { search: model.search }),
    batchPricePercent: model.batch_price_percent ?? null,
  };
}

/** Returns only the declared capabilities; the catalog provides the others. */
function capabilitiesFrom(file: NonNullable<FileModel['capabilities']>): Partial<Capabilities> {
  return {
    ...(file.input == null ? {} : { input: file.input }),
    ...(file.output == null ? {} : { output: file.output }),
    ...(file.features == null ? {} : { features: file.features }),
    ...(file.context == null ? {} : { contextTokens: file.context }),
    ...(file.max_output == null ? {} : { maxOutputTokens: file.max_output }),
    ...(file.dimensions == null ? {} : { dimensions: file.dimensions }),
  };
}

/** Returns the declaration of a model in the form of its schema. Undeclared facts are `null`, and undeclared capabilities absent. */
export function modelFields(model: ConfiguredModel) {
  const { capabilities } = model;
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    category: model.category,
    owned_by: model.ownedBy,
    status: model.status,
    pricing: model.pricing === 'unknown' ? 'unknown' : pricingFields(model.pricing),
    strategy: model.strategy,
    cache: model.cache && cacheOverrideFields(model.cache),
    capabilities: capabilities && capabilityFields(capabilities),
    operations: model.operations,
    rules: rulesFields(model.rules),
    fallbacks: model.fallbacks.length === 0 ? null : model.fallbacks,
    guards: model.guards ?? null,
    search: model.search ?? null,
    batch_price_percent: model.batchPricePercent,
    tags: model.tags,
  };
}

/** Returns the known capabilities by their names in a configuration. */
export function capabilityFields(capabilities: Partial<Capabilities>) {
  return {
    ...(capabilities.input == null ? {} : { input: capabilities.input }),
    ...(capabilities.output == null ? {} : { output: capabilities.output }),
    ...(capabilities.features == null ? {} : { features: capabilities.features }),
    ...(capabilities.contextTokens == null ? {} : { context: capabilities.contextTokens }),
    ...(capabilities.maxOutputTokens == null ? {} : { max_output: capabilities.maxOutputTokens }),
    ...(capabilities.dimensions == null ? {} : { dimensions: capabilities.dimensions }),
  };
}
