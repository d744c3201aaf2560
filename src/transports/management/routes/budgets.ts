import { z } from 'zod';
import { BUDGET_PERIODS } from '../../../domain/money/budget.ts';

/** A budget, as answers have it. */
export const BUDGET = z.object({
  ...{ usd: z.string(), per: z.enum(BUDGET_PERIODS), time_zone: z.string() },
  // biome-ignore lint/suspicious/noThenProperty: as in the configuration
  then: z
    .object({ model: z.string(), at_percent: z.number(), ceiling_usd: z.string().nullable() })
    .optional()
    .meta({ description: 'The cheaper model that requests get past the amount. Absent: they are refused.' }),
});

/** The raise of a budget, as answers have it. */
export const BUDGET_RAISE = z
  .object({ to_usd: z.string(), until: z.string() })
  .nullable()
  .meta({ description: 'The amount in force in place of the budget’s, and until when. `null`: it is not raised.' });

export const RAISE_TEXT =
  'Give either `usd`, by how much, or `to_usd`, to which amount. The raise ends by itself. A budget has one raise: a later one replaces it.';
