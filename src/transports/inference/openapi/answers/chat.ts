import { z } from 'zod';
import { anyObject, estimated, routing, streamError, unixSeconds } from './common.ts';

const usage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int().nullish() }).nullish(),
    completion_tokens_details: z.object({ reasoning_tokens: z.int().nullish() }).nullish(),
    estimated,
  })
  .meta({ id: 'CompletionUsage' });

const toolCall = z.object({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.object({ name: z.string(), arguments: z.string().describe('A JSON string.') }).optional(),
});

const finishReason = z
  .string()
  .nullable()
  .describe('`stop`, `length`, `tool_calls`, `content_filter`, or a provider-specific reason.');

const message = z.object({
  role: z.string(),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish().describe('The model’s reasoning, if it shows it.'),
  reasoning_details: z.array(anyObject).nullish().describe('The reasoning state. Send it back with the message.'),
  tool_calls: z.array(toolCall).nullish(),
});

const logprobs = anyObject.nullish();

export const chatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: unixSeconds,
    model: z.string(),
    choices: z.array(z.object({ index: z.int(), message, logprobs, finish_reason: finishReason })),
    usage,
    _routing: routing,
  })
  .meta({ id: 'ChatCompletion' });

const delta = z.object({
  role: z.string().nullish(),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().nullish(),
        type: z.string().nullish(),
        function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

const chunk = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: unixSeconds,
    model: z.string(),
    choices: z.array(z.object({ index: z.int(), delta, logprobs, finish_reason: finishReason.optional() })),
    usage: usage.nullish(),
    _routing: routing.optional().describe('Only in the last chunk.'),
  })
  .meta({ id: 'ChatCompletionChunk' });

export const chatEvent = z.union([chunk, streamError]).meta({
  id: 'ChatCompletionEvent',
  description: 'The data of one event. The last event’s data is the text `[DONE]`.',
});

const choice = z.object({ text: z.string(), index: z.int(), logprobs, finish_reason: finishReason });

const completionMembers = {
  id: z.string(),
  object: z.literal('text_completion'),
  created: unixSeconds,
  model: z.string(),
  choices: z.array(choice),
};

export const completion = z
  .object({ ...completionMembers, usage: usage.optional(), _routing: routing })
  .meta({ id: 'Completion' });

export const completionEvent = z
  .union([
    z
      .object({ ...completionMembers, usage: usage.nullish(), _routing: routing.optional() })
      .meta({ id: 'CompletionChunk' }),
    streamError,
  ])
  .meta({ id: 'CompletionEvent', description: 'The data of one event. The last event’s data is the text `[DONE]`.' });
