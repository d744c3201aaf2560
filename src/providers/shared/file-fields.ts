import { z } from 'zod';
import { parseTime } from '../../domain/access/expiry.ts';

/* Building blocks for the fields of a YAML file, each with the words that describe its valid values. */

export const text = (rule: string, pattern: RegExp) =>
  z.string({ error: 'must be a string' }).regex(pattern, { error: rule });

/** A value from the environment is always text, so quoted digits also count as a number, and `"true"` as true. */
const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  }, schema);
export const number = (error: string, least: number, most: number) =>
  numeric(z.number({ error }).min(least, { error }).max(most, { error }));
export const integer = (error: string, least: number, most: number) =>
  numeric(z.number({ error }).refine((value) => Number.isInteger(value) && value >= least && value <= most, { error }));
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean({ error: 'must be true or false' }),
);

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
/** Every list has a maximum, because all requests read what one account stores. */
export const listOf = <Item extends z.ZodType>(item: Item, what: string, most = MOST_ITEMS) =>
  z.array(item, { error: `must be a list of ${what}` }).max(most, { error: `must have at most ${most} ${what}` });
/** Returns a schema for a map from names to values, also with a maximum. */
export const mapOf = <Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  error: string,
  most = MOST_ITEMS,
) =>
  z
    .record(key, value, { error })
    .refine((map) => Object.keys(map).length <= most, { error: `must have at most ${most} entries` });
const MOST_ITEMS = 1_000;
export const MAP = { error: 'must be a map of fields' };

export const time = z
  .string({ error: 'must be a date such as "2026-09-01", or a time' })
  .transform((value, context) => {
    const parsed = parseTime(value);
    if (parsed.ok) return parsed.timeMs;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });
