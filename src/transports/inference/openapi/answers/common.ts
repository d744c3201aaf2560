import { z } from 'zod';

/*
 * Answers as clients receive them. Objects may have further members, since those of a provider are passed on. Members are required if the
 * contract or the format's own document promises them; tests check these schemas against answers of a running gateway.
 */

const usd = z.string().describe('A decimal amount in USD.');

const cost = z.object({ total_usd: usd, input_usd: usd.optional(), output_usd: usd.optional() }).catchall(usd).meta({
  id: 'Cost',
  description:
    'What the account was charged for the response. All members but the total are its parts, such as `cached_input_usd`.',
});

export const routing = z
  .object({
    channel: z.object({
      id: z.string(),
      name: z.string(),
      provider: z.string(),
      channelType: z
        .enum(['PLATFORM', 'PRIVATE'])
        .describe('`PRIVATE`: a channel with the account’s own upstream key.'),
    }),
    cached: z.boolean().describe('Whether the response came from the cache.'),
    retryCount: z.int().describe('The number of retries.'),
    cacheEntryId: z.string().optional().describe('The cache entry that served the response.'),
    cost: cost
      .nullish()
      .describe('`null` if the price is unknown. Absent if the gateway does not tell it, or not yet.'),
  })
  .meta({ id: 'Routing', description: 'How the request was routed.' });

export const anyObject = z.object({});

export const unixSeconds = z.int().describe('Unix time in seconds.');

/** Marks counts that the gateway has computed because the upstream reported none. */
export const estimated = z
  .literal(true)
  .optional()
  .describe('The upstream reported no usage. The gateway counted it, and charges for this count.');

export const textTokens = z.object({
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  estimated,
});

/** An object of a type that has no schema here. */
export const otherTyped = z.object({ type: z.string() });

export const streamError = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), code: z.string(), param: z.string().nullable() }),
  })
  .meta({ id: 'StreamError', description: 'The error that ends an incomplete stream.' });
