import { z } from 'zod';

/* The error envelopes, as docs/errors.md describes them. A test checks rendered failures against them. */

const members = {
  message: z.string().describe('What is wrong, for people to read.'),
  type: z.string().describe('The error’s group.'),
  code: z.string().describe('The error code, for programs. It is the same in every format.'),
  param: z.string().nullable().describe('The path of the offending field, such as `messages[2].content[0].type`.'),
  did_you_mean: z
    .string()
    .optional()
    .describe('The most likely intended value: a public model, or a value of the field.'),
  suggestions: z
    .array(z.object({ id: z.string() }))
    .optional()
    .describe('Up to three public models with similar names, the most similar first.'),
  hint: z.string().optional().describe('What to do next.'),
  retryable: z.boolean().optional().describe('Only ever `true`: a retry of the same request may succeed.'),
  retry_after: z.int().optional().describe('Seconds to wait before the retry, as in the header `Retry-After`.'),
  balance_usd: z.number().optional().describe('The balance of the account.'),
  estimated_cost_usd: z.number().optional().describe('The amount that would be reserved for the request.'),
  alternatives: z
    .array(z.object({ id: z.string(), status: z.string(), tags: z.array(z.string()) }))
    .optional()
    .describe('Models that are available now.'),
};

const openai = z
  .object({ error: z.object(members) })
  .meta({ id: 'Error', description: 'An error of the OpenAI-compatible and the gateway’s own endpoints.' });

const anthropic = z
  .object({
    type: z.literal('error'),
    error: z.object({ ...members, type: z.string().describe('Anthropic’s own type for the status.') }),
    request_id: z.string().nullable().describe('The request id, as in the header `request-id`.'),
  })
  .meta({ id: 'AnthropicError', description: 'An error of the Anthropic-compatible endpoints.' });

const gemini = z
  .object({
    error: z.object({
      code: z.int().describe('The HTTP status.'),
      message: z.string().describe('What is wrong, for people to read.'),
      status: z.string().describe('Google’s name for the status.'),
      details: z
        .array(z.looseObject({ '@type': z.string() }))
        .describe(
          'An `ErrorInfo`, whose `metadata` has the error code and the other members, all values as strings; a `BadRequest` with the offending field; a `RetryInfo` with the time to wait.',
        ),
    }),
  })
  .meta({ id: 'GeminiError', description: 'An error of the Gemini-compatible endpoints.' });

const { message: _message, ...metadata } = members;
const openrouter = z
  .object({
    error: z.object({
      code: z.int().describe('The HTTP status.'),
      message: members.message,
      metadata: z.object(metadata),
    }),
  })
  .meta({ id: 'OpenRouterError', description: 'An error of the endpoints that OpenRouter’s clients call.' });

export const ERROR_SCHEMAS = { openai, anthropic, gemini, openrouter } as const;
