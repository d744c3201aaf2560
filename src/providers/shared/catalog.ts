import { z } from 'zod';
import { parseTime } from '../../domain/access/expiry.ts';
import { MODALITIES, MODEL_FEATURES } from '../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import { MODEL_CATEGORIES } from '../../domain/catalog/category.ts';
import { OPERATIONS, type ParameterOverrides, USUAL_OPERATIONS } from '../../domain/catalog/model-operation.ts';
import type { PriceSource } from '../../domain/catalog/price-source.ts';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import { text } from './file-fields.ts';
import { modelPricing, pricingFrom } from './price-syntax.ts';

const day = text('must be a day such as "2026-09-01"', /^\d{4}-\d\d-\d\d$/).refine((value) => parseTime(value).ok, {
  error: 'must be a day that exists',
});
const url = text('must be an https URL', /^https:\/\/\S+$/);
const word = text('must be a word of at most 32 letters, digits and "._+-"', /^[\p{L}\p{N}][\p{L}\p{N}._+-]{0,31}$/u);

const parameterType = z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object', 'file']);
const parameter = z
  .strictObject({
    type: z.union([parameterType, z.array(parameterType).min(2)]).optional(),
    required: z.boolean().optional(),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    enum: z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .optional(),
    maxLength: z.int().positive().optional(),
    maxItems: z.int().positive().optional(),
    description: z.string().optional(),
  })
  .nullable();

const entrySchema = z.strictObject({
  id: z.string().regex(/^[^\s\p{Cc}]{1,200}$/u),
  like: z.string().optional(),
  name: z.string().min(1).optional(),
  description: z.string().max(300).optional(),
  owned_by: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]*$/)
    .optional(),
  category: z.enum(MODEL_CATEGORIES).optional(),
  tags: z.array(word).max(20).optional(),
  released: day.optional(),
  input: z.array(z.enum(MODALITIES)).min(1).optional(),
  output: z.array(z.enum(MODALITIES)).min(1).optional(),
  features: z.array(z.enum(MODEL_FEATURES)).optional(),
  context: z.int().positive().optional(),
  max_output: z.int().positive().optional(),
  dimensions: z.int().positive().optional(),
  operations: z.array(z.enum(OPERATIONS)).min(1).optional(),
  parameters: z.partialRecord(z.enum(OPERATIONS), z.record(z.string(), parameter)).optional(),
  /** As in the configuration; `unknown` takes back what the model that it is like costs. */
  pricing: modelPricing.optional(),
  price_source: url.optional(),
  price_checked: day.optional(),
});

const fileSchema = z.strictObject({
  /** The page of the prices, and the day on which it was read; an entry may say its own. */
  source: url.optional(),
  checked: day.optional(),
  /** Each an entry; a mistake in one is told with its id. */
  models: z.array(z.unknown()),
});

type Entry = z.output<typeof entrySchema>;
type File = z.output<typeof fileSchema>;

/**
 * A provider's `models.yaml` (docs/models.md says how it is written). An entry that is `like` one of `bases`, or like one before
 * it in the same file, has all of that one's facts but those that it states itself. A mistake in the file is an error at
 * the start, with the entry's id: the files are a part of the program.
 */
export function catalogOf(
  provider: string,
  yaml: string,
  bases: readonly CatalogModel[] = [],
): readonly CatalogModel[] {
  const file = checked(fileSchema, Bun.YAML.parse(yaml), `models.yaml of ${provider}`);
  const known = new Map(bases.map((base) => [base.id, base]));
  const models: CatalogModel[] = [];
  for (const raw of file.models) {
    const entry = checked(entrySchema, raw, `${provider}/${entryId(raw)}`);
    const base = entry.like === undefined ? null : known.get(entry.like);
    if (base === undefined) throw new Error(`${provider}/${entry.id}: there is no model "${entry.like}" to be like`);
    const model = modelFrom(provider, file, entry, base);
    known.set(model.id, model);
    models.push(model);
  }
  return models;
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new Error(`${place}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** Also of one that is wrong, so that it can be found. */
function entryId(entry: unknown): string {
  return typeof entry === 'object' && entry !== null && 'id' in entry ? String(entry.id) : '(no id)';
}

function modelFrom(provider: string, file: File, entry: Entry, base: CatalogModel | null): CatalogModel {
  const category = entry.category ?? base?.category;
  const ownedBy = entry.owned_by ?? base?.ownedBy;
  if (category === undefined || ownedBy === undefined) {
    throw new Error(`${provider}/${entry.id}: category and owned_by are required`);
  }
  const own = ownPricing(entry);
  return {
    provider,
    id: entry.id,
    name: entry.name ?? base?.name ?? entry.id,
    description: entry.description ?? base?.description ?? null,
    ownedBy,
    category,
    tags: entry.tags ?? base?.tags ?? [],
    releasedAtMs: entry.released === undefined ? (base?.releasedAtMs ?? null) : Date.parse(entry.released),
    capabilities: {
      input: entry.input ?? base?.capabilities.input ?? ['text'],
      output: entry.output ?? base?.capabilities.output ?? ['text'],
      features: entry.features ?? base?.capabilities.features ?? [],
      contextTokens: entry.context ?? base?.capabilities.contextTokens ?? null,
      maxOutputTokens: entry.max_output ?? base?.capabilities.maxOutputTokens ?? null,
      dimensions: entry.dimensions ?? base?.capabilities.dimensions ?? null,
    },
    operations: entry.operations ?? base?.operations ?? USUAL_OPERATIONS[category],
    // What was optional is absent, never undefined: the schema has just seen to that.
    parameters: (entry.parameters as ParameterOverrides | undefined) ?? base?.parameters ?? {},
    pricing: own === undefined ? (base?.pricing ?? null) : own,
    priceSource: own === undefined ? (base?.priceSource ?? null) : sourceOf(file, entry, own),
  };
}

/** `undefined` where the entry says nothing of prices, `null` where it says that none is known. */
function ownPricing({ pricing }: Entry): ModelPricing | undefined {
  if (pricing === undefined) return undefined;
  return pricing === 'unknown' ? null : pricingFrom(pricing);
}

function sourceOf(file: File, entry: Entry, own: ModelPricing): PriceSource | null {
  if (own === null) return null;
  return { url: entry.price_source ?? file.source ?? null, date: entry.price_checked ?? file.checked ?? null };
}
