import { z } from 'zod';
import { parseTime } from '../../domain/access/expiry.ts';
import { MODALITIES, MODEL_FEATURES } from '../../domain/catalog/capabilities.ts';
import { MODEL_CATEGORIES } from '../../domain/catalog/category.ts';
import { OPERATIONS } from '../../domain/catalog/model-operation.ts';
import { text } from './file-fields.ts';
import { modelPricing } from './price-syntax.ts';

const day = text('must be a date such as "2026-09-01"', /^\d{4}-\d\d-\d\d$/).refine((value) => parseTime(value).ok, {
  error: 'must be a valid date',
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
  /** Has the same form as in the configuration; `unknown` removes the price inherited from the model that this one is `like`. */
  pricing: modelPricing.optional(),
  price_source: url.optional(),
  price_checked: day.optional(),
});

const fileSchema = z.strictObject({
  /** The page with the prices, and the day on which it was read; an entry may override both. */
  source: url.optional(),
  checked: day.optional(),
  /** One entry each; an error in an entry is reported with its id. */
  models: z.array(z.unknown()),
});

/** An entry as it is in a valid file. */
export type CatalogEntry = z.input<typeof entrySchema>;
export type CatalogFile = Omit<z.input<typeof fileSchema>, 'models'> & { readonly models: readonly CatalogEntry[] };

/** Throws, with the entry's id, if a provider's `models.yaml` is invalid. */
export function checkCatalog(provider: string, yaml: string): void {
  const file = checked(fileSchema, Bun.YAML.parse(yaml), `models.yaml of ${provider}`);
  for (const raw of file.models) checked(entrySchema, raw, `${provider}/${entryId(raw)}`);
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new Error(`${place}: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** Returns the id even of an invalid entry, so that it can be found. */
function entryId(entry: unknown): string {
  return typeof entry === 'object' && entry !== null && 'id' in entry ? String(entry.id) : '(no id)';
}
