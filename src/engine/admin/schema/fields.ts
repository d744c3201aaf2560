import { z } from 'zod';
import {
  BUDGET_PERIODS,
  type Budget,
  type BudgetReroute,
  DEFAULT_TIME_ZONE,
  isTimeZone,
} from '../../../domain/money/budget.ts';
import { type BudgetHolder, raiseInForce } from '../../../domain/money/budget-in-force.ts';
import { formatNanoUsd, parseNanoUsd } from '../../../domain/money/nano-usd.ts';
import { type ModelPricing, pricePeriods } from '../../../domain/money/pricing.ts';
import { MOST_FALLBACKS } from '../../../domain/routing/fallbacks.ts';
import { STRATEGIES } from '../../../domain/routing/order.ts';
import { FORWARDED_IDS } from '../../../domain/trace/forwarded-ids.ts';
import { integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../view-fields.ts';

/** Matches ids of accounts, keys and channels: safe in a URL, a shell and a log line. */
const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const IDENTIFIER_RULE = 'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit';

const MAXIMUM_NAME_LENGTH = 200;

/** The largest amount of a limit or a grant: a billion USD, which fits 64 bits as nano-USD. */
export const MAXIMUM_NANO_USD = 1_000_000_000_000_000_000n;

/**
 * The limits that an account or a key may have, by their names in the configuration, each with its largest value. The smallest value is 1.
 */
export const LARGEST_LIMIT = {
  requests_per_minute: 1_000_000_000,
  tokens_per_minute: 1_000_000_000_000,
  max_concurrent: 1_000_000,
} as const;

/* Field types that several kinds of objects share, each with a message that says what the value must be. */

export const LONGEST_TIMEOUT_MS = 86_400_000;

export const identifier = text(IDENTIFIER_RULE, IDENTIFIER);
export const name = text(`must be a name of 1 to ${MAXIMUM_NAME_LENGTH} characters`, /^(?=.*\S)[^\p{Cc}]{1,200}$/u);
export const modelId = text('must be a model id without spaces, of 1 to 200 characters', /^[^\s\p{Cc}]{1,200}$/u);

export const amount = z
  .string({ error: 'must be a decimal amount in USD such as "0.15"' })
  .transform((value, context) => {
    const parsed = parseNanoUsd(value.slice(0, 60));
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
    else if (parsed.amountNanoUsd < 0n || parsed.amountNanoUsd > MAXIMUM_NANO_USD) {
      context.addIssue({ code: 'custom', message: 'must be from 0 to 1000000000 USD' });
    } else return parsed.amountNanoUsd;
    return z.NEVER;
  });

export const milliseconds = integer('must be a positive number of milliseconds, at most a day', 1, LONGEST_TIMEOUT_MS);
export const strategy = oneOf(STRATEGIES);

export const limitUpTo = (most: number) => integer(`must be a whole number from 1 to ${most}`, 1, most);

/** The ids that upstreams get. */
export const forwardedIds = listOf(oneOf(FORWARDED_IDS), 'ids', 10).transform((ids) => [...new Set(ids)]);

/** The models that are asked in turn if a model cannot answer. A repeated id counts once. */
export const fallbacks = listOf(modelId, 'model ids', MOST_FALLBACKS).transform((ids) => [...new Set(ids)]);

/** The percentage of the prices that lines of batches cost. */
export const batchPricePercent = integer('must be a whole percentage from 0 to 100', 0, 100);

export const modelPatterns = listOf(modelId, 'model ids').min(1, {
  error: 'must name at least one model; leave it out to allow all',
});

/** Parses a decimal amount in USD with an optional sign. Throws `AdminError`. */
export function signedAmountOf(field: string, text: string): bigint {
  const parsed = parseNanoUsd(text.slice(0, 60).replace(/^\+(?=\d)/, ''));
  if (!parsed.ok) throw new AdminError('invalid_value', field, parsed.problem);
  const magnitude = parsed.amountNanoUsd < 0n ? -parsed.amountNanoUsd : parsed.amountNanoUsd;
  if (magnitude > MAXIMUM_NANO_USD) throw new AdminError('invalid_value', field, 'must be at most 1000000000');
  return parsed.amountNanoUsd;
}

export const timeZone = z
  .string({ error: 'must be a string' })
  .refine(isTimeZone, { error: 'must be the name of a time zone such as "UTC" or "Europe/Berlin"' });

/** The model that requests get past the amount of a budget. */
export const rerouteSchema = z.strictObject(
  {
    model: modelId,
    at_percent: integer('must be a whole number from 1 to 100', 1, 100).nullish(),
    ceiling_usd: amount.nullish(),
  },
  MAP,
);

/** The amount that an account or a key may spend in each day, week or month. */
export const budgetSchema = z
  .strictObject(
    {
      usd: amount,
      per: oneOf(BUDGET_PERIODS),
      time_zone: timeZone.nullish(),
      // biome-ignore lint/suspicious/noThenProperty: the name in the configuration; its value is no function, so nothing awaits it.
      then: rerouteSchema.nullish(),
    },
    MAP,
  )
  .superRefine(({ usd, then }, context) => {
    if (then?.ceiling_usd == null || then.ceiling_usd >= (usd * BigInt(then.at_percent ?? 100)) / 100n) return;
    const message = 'must be at least the amount at which the cheaper model begins';
    context.addIssue({ code: 'custom', path: ['then', 'ceiling_usd'], message });
  });

export function budgetFrom(budget: z.output<typeof budgetSchema> | null | undefined): Budget | null {
  if (budget == null) return null;
  const { usd, per, time_zone, then } = budget;
  const plain = { amountNanoUsd: usd, per, timeZone: time_zone ?? DEFAULT_TIME_ZONE };
  if (then == null) return plain;
  const { model, at_percent, ceiling_usd } = then;
  return {
    ...plain,
    reroute: { modelId: model, atPercent: at_percent ?? 100, ceilingNanoUsd: ceiling_usd ?? null },
  };
}

/** Returns a budget in the form of its schema. */
export function budgetFields({ amountNanoUsd, per, timeZone: zone, reroute }: Budget) {
  return {
    ...{ usd: formatNanoUsd(amountNanoUsd), per, time_zone: zone },
    // biome-ignore lint/suspicious/noThenProperty: as in the schema
    ...(reroute !== undefined && { then: rerouteFields(reroute) }),
  };
}

function rerouteFields({ modelId: model, atPercent, ceilingNanoUsd }: BudgetReroute) {
  const ceiling_usd = ceilingNanoUsd === null ? null : formatNanoUsd(ceilingNanoUsd);
  return { model, at_percent: atPercent, ceiling_usd };
}

/** Returns the raise of a budget as the API shows it; `null` if none is in force. */
export function raiseFields(holder: BudgetHolder, nowMs: number) {
  const raise = raiseInForce(holder, nowMs);
  return raise && { to_usd: formatNanoUsd(raise.amountNanoUsd), until: isoTime(raise.untilMs) };
}

/** Returns prices as a configuration writes them. */
export function pricingFields(pricing: ModelPricing): unknown {
  if (pricing === null || pricing === 'free') return pricing;
  const periods = pricePeriods(pricing).map(({ effectiveFromMs, prices, tiers }) => ({
    ...(effectiveFromMs === null ? {} : { effective_from: isoTime(effectiveFromMs) }),
    ...prices,
    ...(tiers.length === 0
      ? {}
      : { tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) }),
  }));
  return Array.isArray(pricing) ? periods : periods[0];
}
