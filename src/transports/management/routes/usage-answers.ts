import { z } from 'zod';
import { NAMED } from './named-answers.ts';

/** The output of `measuresView`. */
export const SUMS = z.object({
  requests: z.number(),
  errors: z.number(),
  cache_hits: z.number(),
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  cache_write_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
  latency_ms: z.number().nullable().meta({ description: 'The average. `null` without requests.' }),
  first_byte_ms: z.number().nullable(),
  cost_usd: z.string().meta({ description: 'The charges, equal to the ledger to the nano-dollar.' }),
  saved_usd: z
    .string()
    .meta({ description: 'The difference between the charges for cached responses and those of their channels.' }),
  unpriced_requests: z.number().meta({
    description:
      'Requests with an unknown cost, mostly because their model has no price; `cost_usd` does not include them. If it equals `requests`, the cost is unknown, not zero.',
  }),
});

const PERCENTILE = z.number().nullable();
const PERCENTILES = {
  latency_p50_ms: PERCENTILE.meta({
    description:
      'The median latency, estimated. `null` without requests, and for those before percentiles were counted.',
  }),
  latency_p95_ms: PERCENTILE,
  latency_p99_ms: PERCENTILE,
};

/** The output of `detailedView`. */
export const DETAILED_SUMS = SUMS.extend(PERCENTILES);

/** Sums that have percentiles only on request. */
export const SUMS_ON_REQUEST = SUMS.extend({
  latency_p50_ms: PERCENTILES.latency_p50_ms.optional(),
  latency_p95_ms: PERCENTILE.optional(),
  latency_p99_ms: PERCENTILE.optional(),
});

/** The output of `usageIdsView`, with names. */
export const USAGE_IDS = {
  account: z.string().optional(),
  account_name: NAMED.account.account_name.optional(),
  key: z.string().nullable().optional(),
  key_name: NAMED.key.key_name.optional(),
  model: z.string().nullable().optional(),
  channel: z.string().nullable().optional(),
  channel_name: NAMED.channel.channel_name.optional(),
  status: z.number().nullable().optional(),
  tag: z.string().nullable().optional().meta({
    description:
      'The value of the tag, or the end user. `null` for requests without it, `(other)` for values beyond 500 per day.',
  }),
};
