import { z } from 'zod';
import { BUDGET_PERIODS, type Budget, DEFAULT_TIME_ZONE, isTimeZone } from '../../../domain/money/budget.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { MAP, oneOf } from '../../../providers/shared/file-fields.ts';
import { amount } from './fields.ts';

const timeZone = z
  .string({ error: 'must be a string' })
  .refine(isTimeZone, { error: 'must be the name of a time zone such as "UTC" or "Europe/Berlin"' });

/** The amount that an account or a key may spend in each day, week or month. */
export const budgetSchema = z.strictObject(
  { usd: amount, per: oneOf(BUDGET_PERIODS), time_zone: timeZone.nullish() },
  MAP,
);

export function budgetFrom(budget: z.output<typeof budgetSchema> | null | undefined): Budget | null {
  if (budget == null) return null;
  return { amountNanoUsd: budget.usd, per: budget.per, timeZone: budget.time_zone ?? DEFAULT_TIME_ZONE };
}

/** Returns a budget in the form of its schema. */
export function budgetWords({ amountNanoUsd, per, timeZone: zone }: Budget) {
  return { usd: formatNanoUsd(amountNanoUsd), per, time_zone: zone };
}
