import { z } from 'zod';

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
