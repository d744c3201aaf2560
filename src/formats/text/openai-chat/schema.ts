import { z } from 'zod';
import { CACHE_CONTROL_TYPES } from '../../../domain/cache/cache.ts';
import { cacheControlSchema } from '../../shared/request/cache-control.ts';
import {
  bodyValidator,
  type FieldRule,
  flag,
  integer,
  integerFrom,
  numberIn,
  object,
  oneOf,
  oneOfPhrase,
  recordOf,
  text,
} from '../../shared/request/schema-error.ts';

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'openai-chat';

/*
 * The contract's table "POST /v1/chat/completions", and what today's SDKs send beyond it. Only the fields named here are
 * checked: every object may have other fields, at any depth, and they pass. A `null` in an optional field counts as a
 * missing field, as it does at the providers.
 */

const anyObject = object({});
/** Where another form of the object has a member; documents leave it out. */
const absent = z.undefined().nullish().meta({ hidden: true });

const MODEL = 'a non-empty string';

/** Returns the error text for a block's type or a message's role, on which the other required fields depend. */
function choice(discriminator: string, values: readonly string[]) {
  const wrongChoice = oneOfPhrase(values);
  return (issue: { code?: string }) =>
    issue.code === 'invalid_type' ? `an object with a ${discriminator}` : wrongChoice;
}

const TEXT_OR_OBJECT = 'a string or an object';
const URL_OR_OBJECT = 'an object with a string url, or a URL as a string';

const urlObject = object({ url: text() }, 'an object with a string url');

/** Mistral's clients send an image as a bare URL, and audio as bare base64. */
const BLOCKS = [
  object({ type: z.literal('text'), text: text() }),
  object({ type: z.literal('image_url'), image_url: z.union([text(), urlObject], URL_OR_OBJECT) }),
  object({ type: z.literal('video_url'), video_url: urlObject }),
  object({ type: z.literal('audio_url'), audio_url: urlObject }),
  object({ type: z.literal('input_audio'), input_audio: z.union([text(), anyObject], TEXT_OR_OBJECT) }),
  object({ type: z.literal('file'), file: anyObject.nullish(), file_id: text().nullish() }),
  object({ type: z.literal('file_url'), file_url: z.union([text(), urlObject], URL_OR_OBJECT) }),
  object({ type: z.literal('refusal'), refusal: text() }),
  object({ type: z.literal('document_url'), document_url: z.union([text(), anyObject], TEXT_OR_OBJECT) }),
  object({ type: z.literal('thinking') }),
  object({ type: z.literal('reference') }),
  object({ type: z.literal('redacted_thinking') }),
  // Blocks of other APIs and of single providers. Their content is not checked here; the provider checks it.
  object({ type: z.literal('input_text'), text: text() }),
  object({ type: z.literal('output_text'), text: text() }),
  object({ type: z.literal('input_image') }),
  object({ type: z.literal('input_file') }),
  object({ type: z.literal('input_video') }),
  object({ type: z.literal('image') }),
  object({ type: z.literal('video') }),
  object({ type: z.literal('document') }),
] as const;

const BLOCK_TYPES = BLOCKS.map((block) => block.shape.type.value);

const block = z
  .discriminatedUnion('type', BLOCKS, { error: choice('type', BLOCK_TYPES) })
  .meta({ id: 'ChatContentBlock' });

const content = z.union([text(), z.array(block)], 'a string or an array of content blocks');

const toolCall = object({
  function: object({ name: text() }, 'an object with a string name').nullish(),
});

const toolCalls = z.array(toolCall, 'an array of tool calls').nullish();

/**
 * A tool message names the call that it answers. Only Writer's API needs no `tool_call_id`. Mistral's document allows a
 * `null` content in user and tool messages, which means no content.
 */
const MESSAGES = [
  object({ role: z.literal('system'), content }),
  object({ role: z.literal('user'), content: content.nullable() }),
  object({ role: z.literal('assistant'), content: content.nullish(), tool_calls: toolCalls }),
  object({ role: z.literal('developer'), content }),
  object({ role: z.literal('tool'), content: content.nullable(), tool_call_id: text().nullish() }),
  object({ role: z.literal('function'), content: content.nullish() }),
] as const;

const MESSAGE_ROLES = MESSAGES.map((message) => message.shape.role.value);

const message = z
  .discriminatedUnion('role', MESSAGES, { error: choice('role', MESSAGE_ROLES) })
  .meta({ id: 'ChatMessage' });

const NON_EMPTY_MESSAGES = 'a non-empty array of messages';
const STOP = 'a string or an array of up to 4 strings';
const FUNCTION_NAME = 'a non-empty string';

const functionTool = object({
  type: z.literal('function', 'a string'),
  function: object(
    { name: z.string(FUNCTION_NAME).min(1, { error: FUNCTION_NAME, abort: true }) },
    'an object with a name',
  ),
});

/** Some clients leave out the `type`, and some write the function's members beside it, as the Responses API has them. */
const untypedTool = object({ type: absent, function: functionTool.shape.function });
const flatTool = object({
  type: z.literal('function', 'a string'),
  function: absent,
  name: z.string(FUNCTION_NAME).min(1, { error: FUNCTION_NAME, abort: true }),
});

/**
 * Providers run tools of their own types (`custom`, `web_search` …). Their content is not checked here; the provider checks
 * it.
 */
const otherTool = object({ type: text().refine((type) => type !== 'function', { error: 'a string', abort: true }) });

const TOOL_CHOICES = ['auto', 'none', 'required', 'any'] as const;

const toolChoice = z.union(
  [oneOf(TOOL_CHOICES), object({ type: text() }), object({ type: absent, function: object({ name: text() }) })],
  `${oneOfPhrase(TOOL_CHOICES)}, or an object with a string type`,
);

const RESPONSE_FORMATS = [
  object({ type: z.literal('text') }),
  object({ type: z.literal('json_object') }),
  object({ type: z.literal('json_schema'), json_schema: anyObject }),
  // Constraint types of Together and Fireworks.
  object({ type: z.literal('regex') }),
  object({ type: z.literal('grammar') }),
  // A constraint type of OpenRouter.
  object({ type: z.literal('python') }),
] as const;

const RESPONSE_FORMAT_TYPES = RESPONSE_FORMATS.map((format) => format.shape.type.value);

/** The form that clients of Together, Fireworks and the Responses API use. */
const flatSchema = object({ type: z.literal('json_schema'), json_schema: absent, schema: anyObject });

const responseFormat = z.union(
  [z.discriminatedUnion('type', RESPONSE_FORMATS, { error: choice('type', RESPONSE_FORMAT_TYPES) }), flatSchema],
  'an object with a type',
);

export const chatRequest = object(
  {
    model: z.string(MODEL).min(1, { error: MODEL, abort: true }),
    messages: z.array(message, NON_EMPTY_MESSAGES).min(1, { error: NON_EMPTY_MESSAGES, abort: true }),
    temperature: numberIn(0, 2).nullish(),
    max_tokens: integerFrom(1).nullish(),
    max_completion_tokens: integerFrom(1).nullish(),
    stream: flag().nullish(),
    stream_options: object({ include_usage: flag().nullish() }).nullish(),
    top_p: numberIn(0, 1).nullish(),
    top_k: integer().nullish(),
    frequency_penalty: numberIn(-2, 2).nullish(),
    presence_penalty: numberIn(-2, 2).nullish(),
    stop: z.union([text(), z.array(text(), STOP).max(4, { error: STOP, abort: true })], STOP).nullish(),
    tools: z
      .array(
        z.union([functionTool, otherTool, untypedTool, flatTool], 'an object with a string type'),
        'an array of tools',
      )
      .nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: flag().nullish(),
    reasoning_effort: oneOf(['low', 'medium', 'high', 'none', 'minimal', 'xhigh', 'max', 'default']).nullish(),
    seed: integer().nullish(),
    n: integerFrom(1, 128).nullish(),
    logprobs: flag().nullish(),
    top_logprobs: integerFrom(0, 20).nullish(),
    response_format: responseFormat.nullish(),
    logit_bias: recordOf(numberIn(-100, 100), 'an object of numbers by token id')
      .meta({ type: 'object', additionalProperties: { type: 'number', minimum: -100, maximum: 100 } })
      .nullish(),
    user: text().nullish(),
    // The last value is not one of the gateway's cache modes, but OpenRouter's and Anthropic's mark after the last block of the prompt.
    cache_control: cacheControlSchema([...CACHE_CONTROL_TYPES, 'ephemeral']),
    // OpenRouter's members for fallback models (docs/fallbacks.md).
    models: z.array(text(), 'an array of model ids').nullish(),
    route: text().nullish(),
  },
  'a JSON object',
).meta({ id: 'ChatCompletionRequest' });

const TOP_LOGPROBS: FieldRule = {
  field: 'top_logprobs',
  message: 'top_logprobs requires logprobs: true',
  holds: ({ top_logprobs, logprobs }) => top_logprobs === undefined || top_logprobs === null || logprobs === true,
};

/**
 * Checks a decoded body against the contract's table; `null` means that it is valid. A failure is about one field, the first
 * in the table's order, and names it in `param`. Nothing is copied, because the client's own bytes are relayed.
 */
export const validateChatRequest = bodyValidator(chatRequest, [TOP_LOGPROBS]);
