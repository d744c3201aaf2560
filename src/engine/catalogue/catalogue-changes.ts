import { type Capabilities, MODALITIES, MODEL_FEATURES, type Modality } from '../../domain/catalog/capabilities.ts';
import type { CatalogueModel } from '../../domain/catalog/catalogue-model.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import { entryFromList } from '../../domain/catalog/listed-model.ts';
import type { PriceSource } from '../../domain/catalog/price-source.ts';
import type { ListedModel, Stated } from './listed-model.ts';
import { type FieldChange, mergePricing } from './merge-pricing.ts';

export type { FieldChange };

export interface ChangedModel {
  /** As it would be with what the list states. */
  readonly model: CatalogueModel;
  readonly before: CatalogueModel;
  /** At least one. */
  readonly fields: readonly FieldChange[];
}

export interface CatalogueChanges {
  readonly changed: readonly ChangedModel[];
  readonly added: readonly CatalogueModel[];
  /** How many models of the catalogue the list agrees with. */
  readonly unchanged: number;
  /** How many models of the list the catalogue does not have and does not get. */
  readonly unknownCount: number;
  /** Models of the catalogue for which the list has prices by other pieces (an image, a second); those were left out. */
  readonly measuredOtherwise: readonly CatalogueModel[];
}

export interface ChangesOptions {
  /** Whether models that the catalogue does not have are added. */
  readonly includeNew: boolean;
  /** Where the list was read, and when: the source of every price that it changes. */
  readonly source: PriceSource;
}

/** What a model of a category takes in and gives out unless more is known of it. */
const USUAL_MODALITIES: Readonly<Record<ModelCategory, readonly [readonly Modality[], readonly Modality[]]>> = {
  chat: [['text'], ['text']],
  audio: [['text'], ['text', 'audio']],
  image: [['text'], ['image']],
  video: [['text'], ['video']],
  tts: [['text'], ['audio']],
  stt: [['audio'], ['text']],
  music: [['text'], ['audio']],
  '3d': [['text'], ['3d']],
  embedding: [['text'], ['embedding']],
  rerank: [['text'], ['score']],
  translation: [['audio'], ['text']],
};

/** Where several things may come out; of the others the category says what does, and the lists say "text" of vectors. */
const HAVE_SEVERAL_OUTPUTS: ReadonlySet<ModelCategory> = new Set(['chat', 'audio', 'image', 'video']);

/** Of other models the lists give characters, sizes of vectors or nothing as their limits. */
const HAVE_CONTEXT: ReadonlySet<ModelCategory> = new Set(['chat', 'audio', 'embedding', 'rerank']);
const HAVE_OUTPUT_TOKENS: ReadonlySet<ModelCategory> = new Set(['chat', 'audio']);

/**
 * What a list would change in the catalogue. Only what it states changes: prices, limits, modalities and features; a
 * model's name, maker and category are the catalogue's own, and a list's are taken for new models only.
 */
export function changesBetween(
  current: readonly CatalogueModel[],
  listed: readonly ListedModel[],
  options: ChangesOptions,
): CatalogueChanges {
  const byKey = new Map(current.map((model) => [keyOf(model), model]));
  const changed: ChangedModel[] = [];
  const added: CatalogueModel[] = [];
  const measuredOtherwise: CatalogueModel[] = [];
  let unchanged = 0;
  let unknownCount = 0;
  for (const facts of listed) {
    const before = byKey.get(keyOf(facts));
    if (before === undefined) {
      const model = options.includeNew ? newModel(facts, options.source) : null;
      if (model === null) unknownCount++;
      else added.push(model);
      continue;
    }
    const { model, fields, isMeasuredOtherwise } = updated(before, facts, options.source);
    if (isMeasuredOtherwise) measuredOtherwise.push(before);
    if (fields.length === 0) unchanged++;
    else changed.push({ model, before, fields });
  }
  return { changed, added, unchanged, unknownCount, measuredOtherwise };
}

/** Neither has a space in it. */
function keyOf(model: { readonly provider: string; readonly id: string }): string {
  return `${model.provider} ${model.id}`;
}

interface Update {
  readonly model: CatalogueModel;
  readonly fields: readonly FieldChange[];
  readonly isMeasuredOtherwise: boolean;
}

function updated(before: CatalogueModel, facts: ListedModel, source: PriceSource): Update {
  const priced = facts.pricing === undefined ? null : mergePricing(before.pricing, facts.pricing, source.date);
  const isRepriced = priced !== null && priced.fields.length > 0;
  const capabilities = mergedCapabilities(before, facts);
  const releasedAtMs = before.releasedAtMs ?? facts.releasedAtMs ?? null;
  return {
    model: {
      ...before,
      releasedAtMs,
      capabilities,
      pricing: isRepriced ? priced.pricing : before.pricing,
      priceSource: isRepriced ? source : before.priceSource,
    },
    fields: [
      ...(priced?.fields ?? []),
      ...capabilityChanges(before.capabilities, capabilities),
      ...changeOf('released', dayOf(before.releasedAtMs), dayOf(releasedAtMs)),
    ],
    isMeasuredOtherwise: priced?.isMeasuredOtherwise ?? false,
  };
}

/** `null` for one whose category is not known, since it could not be said where it is served, and one that is going away. */
function newModel(facts: ListedModel, source: PriceSource): CatalogueModel | null {
  const { provider, id, category } = facts;
  if (category === undefined || facts.isDeprecated) return null;
  const [input, output] = USUAL_MODALITIES[category];
  const bare = entryFromList(provider, id, facts);
  const capabilities = { ...bare.capabilities, input, output };
  return updated({ ...bare, capabilities }, facts, source).model;
}

function mergedCapabilities({ capabilities, category }: CatalogueModel, facts: ListedModel): Capabilities {
  const hasContext = HAVE_CONTEXT.has(category);
  return {
    input: withStated(MODALITIES, capabilities.input, facts.input),
    output: HAVE_SEVERAL_OUTPUTS.has(category)
      ? withStated(MODALITIES, capabilities.output, facts.output)
      : capabilities.output,
    features: withStated(MODEL_FEATURES, capabilities.features, facts.features),
    contextTokens: hasContext ? contextOf(capabilities.contextTokens, facts) : capabilities.contextTokens,
    maxOutputTokens:
      (HAVE_OUTPUT_TOKENS.has(category) ? facts.maxOutputTokens : undefined) ?? capabilities.maxOutputTokens,
    dimensions: (category === 'embedding' ? facts.dimensions : undefined) ?? capabilities.dimensions,
  };
}

function contextOf(current: number | null, facts: ListedModel): number | null {
  if (facts.contextTokens !== undefined) return facts.contextTokens;
  return facts.inputTokens === undefined ? current : Math.max(current ?? 0, facts.inputTokens);
}

/** Those of `current` in their order, without those that are denied, and what is new in the order of `all`. */
function withStated<Name extends string>(
  all: readonly Name[],
  current: readonly Name[],
  stated: Stated<Name> | undefined,
): readonly Name[] {
  if (stated === undefined) return current;
  const kept = current.filter((name) => stated[name] !== false);
  const added = all.filter((name) => stated[name] === true && !current.includes(name));
  return kept.length === current.length && added.length === 0 ? current : [...kept, ...added];
}

function capabilityChanges(before: Capabilities, after: Capabilities): FieldChange[] {
  return [
    ...changeOf('input', before.input.join(', '), after.input.join(', ')),
    ...changeOf('output', before.output.join(', '), after.output.join(', ')),
    ...changeOf('features', before.features.join(', ') || null, after.features.join(', ') || null),
    ...changeOf('context', numberText(before.contextTokens), numberText(after.contextTokens)),
    ...changeOf('max_output', numberText(before.maxOutputTokens), numberText(after.maxOutputTokens)),
    ...changeOf('dimensions', numberText(before.dimensions), numberText(after.dimensions)),
  ];
}

function changeOf(field: string, from: string | null, to: string | null): FieldChange[] {
  return from === to ? [] : [{ field, from, to }];
}

function numberText(value: number | null): string | null {
  return value === null ? null : String(value);
}

function dayOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString().slice(0, 10);
}
