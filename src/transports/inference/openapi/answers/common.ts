import { z } from 'zod';

/*
 * Answers as clients receive them. Objects may have further members, since those of a provider are passed on. Members are required if the
 * contract or the format's own document promises them; tests check these schemas against answers of a running gateway.
 */

export const routing = z
  .object({
    channel: z.object({
      id: z.string(),
      name: z.string(),
      provider: z.string(),
      channelType: z
        .enum(['PLATFORM', 'PRIVATE'])
        .describe('`PRIVATE`: a channel with the customer’s own upstream key.'),
    }),
    cached: z.boolean().describe('Whether the answer came from the cache.'),
    retryCount: z.int().describe('How many retries it took.'),
    cacheEntryId: z.string().optional().describe('The entry of the cache that the answer came from.'),
  })
  .meta({ id: 'Routing', description: 'Which channel answered, and how.' });

export const anyObject = z.object({});

export const unixSeconds = z.int().describe('Unix time in seconds.');

/** Marks counts that the gateway has computed because the upstream reported none. */
export const estimated = z
  .literal(true)
  .optional()
  .describe('The upstream has reported no usage: the gateway has counted it, and charges by this count.');

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
  .meta({ id: 'StreamError', description: 'The error that ends a stream before its answer is complete.' });
