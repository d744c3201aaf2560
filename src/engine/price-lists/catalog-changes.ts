import { type Capabilities, MODALITIES, MODEL_FEATURES, type Modality } from '../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import { entryFromList } from '../../domain/catalog/synced-model.ts';
import type { PriceSource } from '../../domain/money/pricing.ts';
import { checkListedPricing } from './check-listed-pricing.ts';
import { known } from './list-entry.ts';
import { type FieldChange, isSameSize, type MergedPricing, mergePricing } from './merge-pricing.ts';
import type { ListedPricing, PriceListModel, Stated } from './price-list-model.ts';

export type { FieldChange };

export interface ChangedModel {
  /** The model with the facts that the list states. */
  readonly model: CatalogModel;
  readonly before: CatalogModel;
  /** The changed fields, at least one. */
  readonly fields: readonly FieldChange[];
}

/** A price that cannot be right. All of the list's prices of that model were left out. */
export interface RefusedPrice {
  readonly model: CatalogModel;
  readonly problem: string;
}

export interface CatalogChanges {
  readonly changed: readonly ChangedModel[];
  readonly added: readonly CatalogModel[];
  /** The number of the catalog's models that the list does not change. */
  readonly unchanged: number;
  /** The number of models in the list that the catalog does not have and that are not added. */
  readonly unknownCount: number;
  /** Models of the catalog whose prices the list states per another unit (an image, a second); those prices were left out. */
  readonly measuredOtherwise: readonly CatalogModel[];
  /** The refused prices of models that the catalog has or that are added. */
  readonly refused: readonly RefusedPrice[];
}

export interface ChangesOptions {
  /** Whether models that the catalog does not have are added. */
  readonly includeNew: boolean;
  /** Where and when the list was read, which is the source of every price that it changes. */
  readonly source: PriceSource;
}

/** The input and output modalities of a category's models if nothing else is known. */
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

/** Categories with several possible outputs. The output of the others follows from their category, and lists state "text" for vectors. */
const HAVE_SEVERAL_OUTPUTS: ReadonlySet<ModelCategory> = new Set(['chat', 'audio', 'image', 'video']);

/** Categories whose models have a context. For others, lists state characters, sizes of vectors, or nothing as their limits. */
const HAVE_CONTEXT: ReadonlySet<ModelCategory> = new Set(['chat', 'audio', 'embedding', 'rerank']);
const HAVE_OUTPUT_TOKENS: ReadonlySet<ModelCategory> = new Set(['chat', 'audio']);

/**
 * Returns what a list would change in the catalog. It changes prices, limits, modalities and features that it states. A model's name, maker
 * and category are the catalog's own; the list's are used only for new models.
 */
export function changesBetween(
  current: readonly CatalogModel[],
  listed: readonly PriceListModel[],
  options: ChangesOptions,
): CatalogChanges {
  const byKey = new Map(current.map((model) => [keyOf(model), model]));
  const changed: ChangedModel[] = [];
  const added: CatalogModel[] = [];
  const measuredOtherwise: CatalogModel[] = [];
  const refused: RefusedPrice[] = [];
  let unchanged = 0;
  let unknownCount = 0;
  for (const facts of listed) {
    const before = byKey.get(keyOf(facts));
    if (before === undefined) {
      const update = options.includeNew ? newModel(facts, options.source) : null;
      if (update === null) unknownCount++;
      else added.push(update.model);
      if (update !== null && update.problem !== null) refused.push({ model: update.model, problem: update.problem });
      continue;
    }
    const { model, fields, isMeasuredOtherwise, problem } = updated(before, withTrusted(before, facts), options.source);
    if (isMeasuredOtherwise) measuredOtherwise.push(before);
    if (problem !== null) refused.push({ model: before, problem });
    if (fields.length === 0) unchanged++;
    else changed.push({ model, before, fields });
  }
  return { changed, added, unchanged, unknownCount, measuredOtherwise, refused };
}

/** Returns a key for the model; neither part contains a space. */
function keyOf(model: { readonly provider: string; readonly id: string }): string {
  return `${model.provider} ${model.id}`;
}

interface Update {
  readonly model: CatalogModel;
  readonly fields: readonly FieldChange[];
  readonly isMeasuredOtherwise: boolean;
  /** Why the list's prices are rejected; `null` if they are accepted. */
  readonly problem: string | null;
}

function updated(before: CatalogModel, facts: PriceListModel, source: PriceSource): Update {
  const { priced, problem } = repriced(before, facts.pricing, source);
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
    problem,
  };
}

function repriced(
  before: CatalogModel,
  listed: ListedPricing | undefined,
  { date }: PriceSource,
): { readonly priced: MergedPricing | null; readonly problem: string | null } {
  if (listed === undefined) return { priced: null, problem: null };
  const checked = checkListedPricing(listed, before, date);
  if (!checked.ok) return { priced: null, problem: checked.problem };
  return { priced: mergePricing(before.pricing, checked.pricing, date), problem: null };
}

/**
 * Returns the list's facts without those for which the catalog, which was checked by hand, is more reliable: modalities, and an output
 * limit equal to the whole context, which lists state if they know no limit.
 */
function withTrusted({ capabilities }: CatalogModel, facts: PriceListModel): PriceListModel {
  const { input, output, maxOutputTokens, ...rest } = facts;
  const context = facts.contextTokens ?? facts.inputTokens ?? capabilities.contextTokens;
  const isWholeContext = context !== null && maxOutputTokens !== undefined && maxOutputTokens >= context;
  return {
    ...rest,
    ...known({
      input: capabilities.input.length === 0 ? input : undefined,
      output: capabilities.output.length === 0 ? output : undefined,
      maxOutputTokens: isWholeContext ? undefined : maxOutputTokens,
    }),
  };
}

/** Returns the new model, or `null` if it is deprecated, or if its category and so its endpoint are unknown. */
function newModel(facts: PriceListModel, source: PriceSource): Update | null {
  const { provider, id, category } = facts;
  if (category === undefined || facts.isDeprecated) return null;
  const [input, output] = USUAL_MODALITIES[category];
  const bare = entryFromList(provider, id, facts);
  const capabilities = { ...bare.capabilities, input, output };
  return updated({ ...bare, capabilities }, facts, source);
}

function mergedCapabilities({ capabilities, category }: CatalogModel, facts: PriceListModel): Capabilities {
  const hasContext = HAVE_CONTEXT.has(category);
  return {
    input: withStated(MODALITIES, capabilities.input, facts.input),
    output: HAVE_SEVERAL_OUTPUTS.has(category)
      ? withStated(MODALITIES, capabilities.output, facts.output)
      : capabilities.output,
    features: withStated(MODEL_FEATURES, capabilities.features, facts.features),
    contextTokens: hasContext ? contextOf(capabilities.contextTokens, facts) : capabilities.contextTokens,
    maxOutputTokens: HAVE_OUTPUT_TOKENS.has(category)
      ? sizeOf(capabilities.maxOutputTokens, facts.maxOutputTokens)
      : capabilities.maxOutputTokens,
    dimensions: (category === 'embedding' ? facts.dimensions : undefined) ?? capabilities.dimensions,
  };
}

function contextOf(current: number | null, facts: PriceListModel): number | null {
  if (facts.contextTokens !== undefined) return sizeOf(current, facts.contextTokens);
  return facts.inputTokens === undefined ? current : sizeOf(current, Math.max(current ?? 0, facts.inputTokens));
}

/** Returns the catalog's size if the list only writes the same size differently. */
function sizeOf(current: number | null, listed: number | undefined): number | null {
  if (listed === undefined || (current !== null && isSameSize(current, listed))) return current;
  return listed;
}

/** Returns `current` in its order without what is denied, followed by what is new in the order of `all`. */
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
