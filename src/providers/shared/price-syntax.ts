import { z } from 'zod';
import {
  type ModelPricing,
  PRICE_KEYS,
  type PricePeriod,
  type Prices,
  VARIANT_PRICE_KEYS,
} from '../../domain/money/pricing.ts';
import { integer, listOf, text, time } from './file-fields.ts';

/*
 * The syntax of prices: those of a model, and a channel's upstream costs, in the configuration, and prices in the catalog's
 * files.
 */

const price = text('must be a decimal price in USD, zero or more, such as "0.15"', /^\d{1,15}(\.\d{1,18})?$/);
const MOST_VARIANTS = 100;
const variant = text('must be the name of a variant, such as "1024x1024/high"', /^[\w.:-]+(\/[\w.:-]+)*$/);
const variantPrices = z
  .record(variant, price, { error: 'must be a map of variants and their prices' })
  .refine((map) => Object.keys(map).length > 0, { error: 'must name at least one variant' })
  .refine((map) => Object.keys(map).length <= MOST_VARIANTS, { error: `must have at most ${MOST_VARIANTS} variants` });

const prices = {
  ...Object.fromEntries(PRICE_KEYS.map((key) => [key, price.optional()])),
  ...Object.fromEntries(VARIANT_PRICE_KEYS.map((key) => [key, variantPrices.optional()])),
};
const ALL_KEYS = [...PRICE_KEYS, ...VARIANT_PRICE_KEYS];

const LARGEST_BOUND = 1_000_000_000;
const MOST_TIERS = 20;
const MOST_PERIODS = 100;

const PRICING = { error: 'must be "free", a map of prices, or a list of such maps by date' };
const NO_PRICE = 'must name at least one price';

/** An invalid price is reported as such, and not as missing. */
const whenRight = ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0;

const tierSchema = z
  .strictObject(
    {
      above_input_tokens: integer(`must be a whole number from 1 to ${LARGEST_BOUND}`, 1, LARGEST_BOUND),
      ...prices,
    },
    { error: 'must be a map with above_input_tokens and prices' },
  )
  .refine(hasPrice, { error: NO_PRICE, when: whenRight });

const tiers = listOf(tierSchema, 'tiers')
  .min(1, { error: 'must name at least one tier; leave it out for none' })
  .max(MOST_TIERS, { error: `must have at most ${MOST_TIERS} tiers` })
  .superRefine((list, context) => {
    checkAscending(list, 'above_input_tokens', context);
  });

const fields = { ...prices, tiers: tiers.nullish() };

const mapSchema = z
  .strictObject(fields, PRICING)
  .refine(hasPrice, { error: `${NO_PRICE}, or be "free"`, when: whenRight });

const periodSchema = z
  .strictObject({ effective_from: time.nullish(), ...fields }, { error: 'must be a map of prices' })
  .refine(hasPrice, { error: NO_PRICE, when: whenRight });

const periods = z
  .array(periodSchema, PRICING)
  .min(1, { error: 'must name at least one period' })
  .max(MOST_PERIODS, { error: `must have at most ${MOST_PERIODS} periods` })
  .superRefine((list, context) => {
    // Only the first period may have no start.
    for (const [index, period] of list.entries()) {
      if (index === 0 || period.effective_from != null) continue;
      context.addIssue({ code: 'custom', path: [index, 'effective_from'], message: 'is required' });
    }
    checkAscending(list, 'effective_from', context);
  });

export const pricing = z.union([z.literal('free'), mapSchema, periods], PRICING);

/** A model's own pricing may also remove what the catalog, or the model that it is like, states; a cost is simply left out. */
export const modelPricing = z.union([z.literal('free'), z.literal('unknown'), mapSchema, periods], {
  error: 'must be "free", "unknown", a map of prices, or a list of such maps by date',
});

/** A change of a model's prices: a map changes the prices it names, and `null` removes one (`changedPricing`). */
export const modelPricingChange = z.union(
  [
    z.literal('free'),
    z.literal('unknown'),
    z.strictObject({
      ...Object.fromEntries(PRICE_KEYS.map((key) => [key, price.nullish()])),
      ...Object.fromEntries(VARIANT_PRICE_KEYS.map((key) => [key, z.record(variant, price.nullable()).nullish()])),
      tiers: tiers.nullish(),
    }),
    periods,
  ],
  PRICING,
);

export const PERIOD_FIELDS: readonly string[] = Object.keys(periodSchema.shape);
export const TIER_FIELDS: readonly string[] = Object.keys(tierSchema.shape);

type FilePricing = z.output<typeof pricing>;
type FilePeriod = z.output<typeof periodSchema>;

/** Returns prices without periods and tiers as the plain map that they are in the file. */
export function pricingFrom(file: FilePricing | null | undefined): ModelPricing {
  if (file === null || file === undefined || file === 'free') return file ?? null;
  if (Array.isArray(file)) return file.map(periodFrom);
  return file.tiers == null ? pricesFrom(file) : [periodFrom(file)];
}

/**
 * Returns prices that were validated before; only dates, which a list may have, are written in another form than they are read.
 */
export function checkedPricingFrom(file: z.input<typeof pricing>): ModelPricing {
  return pricingFrom(Array.isArray(file) ? periods.parse(file) : (file as FilePricing));
}

function periodFrom(period: FilePeriod): PricePeriod {
  return {
    effectiveFromMs: period.effective_from ?? null,
    prices: pricesFrom(period),
    tiers: (period.tiers ?? []).map((tier) => ({
      aboveInputTokens: tier.above_input_tokens,
      prices: pricesFrom(tier),
    })),
  };
}

function pricesFrom(file: Readonly<Record<string, unknown>>): Prices {
  // The schema has validated the members.
  return Object.fromEntries(ALL_KEYS.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]]]))) as Prices;
}

/**
 * Returns a change of prices as a whole: a map is merged into the prices that apply at that time, so that no price is lost that the change
 * does not name. `null` removes a price, a variant or the tiers. Other periods stay. Anything else replaces all prices. The result is not
 * checked.
 *
 * @param before the prices before, in the form of the file
 */
export function changedPricing(before: unknown, change: unknown, nowMs: number): unknown {
  if (!isMap(change)) return change;
  if (!Array.isArray(before)) return merged(before, change);
  const begun = before.findLastIndex(({ effective_from: from }) => from === undefined || Date.parse(from) <= nowMs);
  return begun === -1 ? [merged({}, change), ...before] : before.with(begun, merged(before[begun], change));
}

function merged(before: unknown, change: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = isMap(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(change)) {
    const price = isMap(value) ? merged(kept[key], value) : value;
    if (price === null || (isMap(price) && Object.keys(price).length === 0)) delete kept[key];
    else kept[key] = price;
  }
  return kept;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasPrice(file: Readonly<Record<string, unknown>>): boolean {
  return ALL_KEYS.some((key) => file[key] !== undefined);
}

/** Requires ascending values of a field; an absent one is less than all others. */
function checkAscending<Field extends string>(
  list: readonly Readonly<Partial<Record<Field, unknown>>>[],
  field: Field,
  context: z.RefinementCtx,
): void {
  for (const [index, entry] of list.entries()) {
    const [value, before] = [entry[field], list[index - 1]?.[field]];
    if (typeof value === 'number' && typeof before === 'number' && value <= before) {
      context.addIssue({
        code: 'custom',
        path: [index, field],
        message: 'must be more than that of the entry before it',
      });
    }
  }
}
