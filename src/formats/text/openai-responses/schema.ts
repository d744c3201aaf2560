import { z } from 'zod';
import {
  bodyValidator,
  flag,
  integer,
  integerFrom,
  numberIn,
  object,
  oneOf,
  oneOfPhrase,
  text,
} from '../../shared/request/schema-error.ts';

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'openai-responses';

/*
 * The contract's table "POST /v1/responses", and what today's SDKs send beyond it. Only the fields named here are checked:
 * every object may have other fields, at any depth, and they pass. A `null` in an optional field counts as a missing field.
 */

const anyObject = object({});

const MODEL = 'a non-empty string';
const NAME = 'a non-empty string';

function nonEmpty(phrase: string) {
  return z.string(phrase).min(1, { error: phrase, abort: true });
}

const BLOCK_TYPES = ['input_text', 'input_image', 'input_file', 'output_text', 'refusal'] as const;

/** The upstream checks other types (`input_audio`, `input_video`, `summary_text` …). */
const block = z
  .union(
    [
      object({ type: oneOf(['input_text', 'output_text', 'text']), text: text() }),
      object({ type: z.literal('input_image'), image_url: text().nullish(), file_id: text().nullish() }),
      object({
        type: z.literal('input_file'),
        file_id: text().nullish(),
        file_data: text().nullish(),
        file_url: text().nullish(),
        filename: text().nullish(),
      }),
      object({ type: z.literal('refusal'), refusal: text() }),
      object({ type: text().refine((type) => !isOneOf([...BLOCK_TYPES, 'text'], type), oneOfPhrase(BLOCK_TYPES)) }),
    ],
    'a content block: an object with a type',
  )
  .meta({ id: 'ResponseContentBlock' });

const content = z.union([text(), z.array(block)], 'a string or an array of content blocks');

const ROLES = ['user', 'assistant', 'system', 'developer'] as const;

/** The short form of a message has no type. */
const message = object({ type: z.literal('message').nullish(), role: oneOf(ROLES), content });

const CHECKED_ITEMS = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'item_reference',
] as const;

const item = z
  .union(
    [
      message,
      object({ type: z.literal('function_call'), call_id: text(), name: text(), arguments: text() }),
      object({ type: z.literal('function_call_output'), call_id: text(), output: content }),
      object({ type: z.literal('custom_tool_call'), call_id: text(), name: text(), input: text() }),
      object({ type: z.literal('custom_tool_call_output'), call_id: text(), output: content }),
      object({
        type: z.literal('reasoning'),
        id: text().nullish(),
        summary: z.array(anyObject, 'an array of summary parts').nullish(),
        content: z.array(anyObject, 'an array of content parts').nullish(),
        encrypted_content: text().nullish(),
      }),
      object({ type: z.literal('item_reference').nullish(), id: text() }),
      object({ type: text().refine((type) => !isOneOf(CHECKED_ITEMS, type), oneOfPhrase(CHECKED_ITEMS)) }),
    ],
    'an input item: an object with a type, or with a role and content',
  )
  .meta({ id: 'ResponseInputItem' });

function isOneOf(values: readonly string[], value: string): boolean {
  return values.includes(value);
}

export const INPUT = 'an array of input items, or a string';

const functionTool = object({
  type: z.literal('function', 'a string'),
  name: nonEmpty(NAME),
  description: text().nullish(),
  parameters: anyObject.nullish(),
  strict: flag().nullish(),
});

const customTool = object({ type: z.literal('custom'), name: nonEmpty(NAME), description: text().nullish() });

/** The content of other tools is not checked here; the provider that runs them checks it. */
const otherTool = object({
  type: text().refine((type) => type !== 'function' && type !== 'custom', { error: 'a string', abort: true }),
});

const TOOL_CHOICES = ['auto', 'none', 'required'] as const;

const TEXT_FORMAT = 'an object with a type';
const FORMAT_TYPES = ['text', 'json_object', 'json_schema'] as const;

const responseFormat = z.discriminatedUnion(
  'type',
  [
    object({ type: z.literal('text') }),
    object({ type: z.literal('json_object') }),
    object({
      type: z.literal('json_schema'),
      name: text(),
      schema: anyObject,
      description: text().nullish(),
      strict: flag().nullish(),
    }),
  ],
  { error: (issue: { code?: string }) => (issue.code === 'invalid_type' ? TEXT_FORMAT : oneOfPhrase(FORMAT_TYPES)) },
);

const SUMMARIES = ['auto', 'concise', 'detailed', 'none'] as const;

export const responsesRequest = object(
  {
    model: nonEmpty(MODEL),
    // OpenRouter's members for fallback models (docs/fallbacks.md).
    models: z.array(text(), 'an array of model ids').nullish(),
    route: text().nullish(),
    input: z.union([text(), z.array(item)], INPUT).nullish(),
    instructions: text().nullish(),
    max_output_tokens: integerFrom(1).nullish(),
    temperature: numberIn(0, 2).nullish(),
    top_p: numberIn(0, 1).nullish(),
    frequency_penalty: numberIn(-2, 2).nullish(),
    presence_penalty: numberIn(-2, 2).nullish(),
    tools: z
      .array(z.union([functionTool, customTool, otherTool], 'an object with a string type'), 'an array of tools')
      .nullish(),
    tool_choice: z
      .union([oneOf(TOOL_CHOICES), object({ type: text() })], `${oneOfPhrase(TOOL_CHOICES)}, or an object with a type`)
      .nullish(),
    stream: flag().nullish(),
    stream_options: object({ include_obfuscation: flag().nullish() }).nullish(),
    previous_response_id: text().nullish(),
    store: flag().nullish(),
    metadata: anyObject.nullish(),
    text: object({ format: responseFormat.nullish(), verbosity: oneOf(['low', 'medium', 'high']).nullish() }).nullish(),
    parallel_tool_calls: flag().nullish(),
    reasoning: object({
      effort: oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: oneOf(SUMMARIES).nullish(),
      generate_summary: oneOf(SUMMARIES).nullish(),
    }).nullish(),
    include: z.array(text(), 'an array of strings').nullish(),
    top_logprobs: integerFrom(0, 20).nullish(),
    truncation: oneOf(['auto', 'disabled']).nullish(),
    background: flag().nullish(),
    max_tool_calls: integer().nullish(),
    user: text().nullish(),
    safety_identifier: text().nullish(),
    prompt_cache_key: text().nullish(),
    service_tier: text().nullish(),
  },
  'a JSON object',
).meta({ id: 'ResponseRequest' });

/**
 * Checks a decoded body against the contract's table; `null` means that it is valid. A failure is about one field, the first
 * in the table's order, and names it in `param`.
 */
export const validateResponsesRequest = bodyValidator(responsesRequest);
