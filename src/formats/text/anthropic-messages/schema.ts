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
export const FORMAT = 'anthropic-messages';

/*
 * Anthropic's "Create a Message" and "Count tokens" (its OpenAPI document, including the beta paths). Only the members named
 * here are checked: every object may have other members, at any depth, and blocks, tools and sources of an unknown type
 * pass, because Anthropic may add types later. A `null` in an optional member counts as a missing member.
 */

const TYPED = 'an object with a string type';
const MODEL = 'a non-empty string';
const TEXT_OR_BLOCKS = 'a string or an array of content blocks';

/** Objects that differ by `type`, and objects of any other type. */
function byType<const Options extends readonly z.core.$ZodTypeDiscriminable[]>(
  options: Options,
  names: readonly string[],
) {
  const known = z.discriminatedUnion('type', options as never, { error: () => TYPED });
  const other = object({ type: text().refine((type) => !names.includes(type), { error: TYPED, abort: true }) }, TYPED);
  return z.union([known, other], TYPED);
}

const cacheControl = object({ type: text(), ttl: oneOf(['5m', '1h']).nullish() }).nullish();

const textBlock = object({ type: z.literal('text'), text: text(), cache_control: cacheControl });

const base64Source = object({ type: z.literal('base64'), media_type: text(), data: text() });
const urlSource = object({ type: z.literal('url'), url: text() });
const fileSource = object({ type: z.literal('file'), file_id: text() });
const textSource = object({ type: z.literal('text'), media_type: text(), data: text() });

const imageBlock = object({
  type: z.literal('image'),
  source: byType([base64Source, urlSource, fileSource], ['base64', 'url', 'file']),
  cache_control: cacheControl,
});

const documentBlock = object({
  type: z.literal('document'),
  source: byType([base64Source, urlSource, fileSource, textSource], ['base64', 'url', 'file', 'text']),
  title: text().nullish(),
  context: text().nullish(),
  citations: object({ enabled: flag().nullish() }).nullish(),
  cache_control: cacheControl,
});

const INNER_BLOCKS = [textBlock, imageBlock, documentBlock] as const;

const innerBlock = byType(INNER_BLOCKS, ['text', 'image', 'document']).meta({ id: 'MessageToolResultBlock' });

const BLOCKS = [
  ...INNER_BLOCKS,
  object({ type: z.literal('thinking'), thinking: text(), signature: text().nullish() }),
  object({ type: z.literal('redacted_thinking'), data: text() }),
  object({
    type: z.literal('tool_use'),
    id: text(),
    name: text(),
    input: object({}, 'an object'),
    cache_control: cacheControl,
  }),
  object({
    type: z.literal('tool_result'),
    tool_use_id: text(),
    content: z.union([text(), z.array(innerBlock)], TEXT_OR_BLOCKS).nullish(),
    is_error: flag().nullish(),
    cache_control: cacheControl,
  }),
] as const;

const block = byType(
  BLOCKS,
  BLOCKS.map(({ shape }) => shape.type.value),
).meta({ id: 'MessageContentBlock' });

const ROLES = ['user', 'assistant', 'system'] as const;

const message = object(
  { role: oneOf(ROLES), content: z.union([text(), z.array(block)], TEXT_OR_BLOCKS) },
  'an object with role and content',
).meta({ id: 'Message' });

const NON_EMPTY_MESSAGES = 'a non-empty array of messages';

const TOOL_NAME = 'a non-empty string';

const customTool = object({
  type: z.literal('custom').nullish(),
  name: z.string(TOOL_NAME).min(1, { error: TOOL_NAME, abort: true }),
  description: text().nullish(),
  input_schema: object({}, 'a JSON schema'),
  strict: flag().nullish(),
  cache_control: cacheControl,
});

/** Tools that Anthropic runs or defines. Their content is not checked here; Anthropic checks it. */
const otherTool = object(
  { type: text().refine((type) => type !== 'custom', { error: 'a string', abort: true }) },
  'a tool with a name and an input_schema, or with a type',
);

const TOOL_CHOICES = ['auto', 'any', 'tool', 'none'] as const;

const toolChoice = z.discriminatedUnion(
  'type',
  [
    object({ type: z.literal('auto'), disable_parallel_tool_use: flag().nullish() }),
    object({ type: z.literal('any'), disable_parallel_tool_use: flag().nullish() }),
    object({ type: z.literal('tool'), name: text(), disable_parallel_tool_use: flag().nullish() }),
    object({ type: z.literal('none') }),
  ],
  { error: (issue: { code?: string }) => (issue.code === 'invalid_type' ? TYPED : oneOfPhrase(TOOL_CHOICES)) },
);

const thinking = byType(
  [
    object({ type: z.literal('enabled'), budget_tokens: integerFrom(1) }),
    object({ type: z.literal('disabled') }),
    object({ type: z.literal('adaptive') }),
  ],
  ['enabled', 'disabled', 'adaptive'],
);

const outputFormat = byType(
  [object({ type: z.literal('json_schema'), schema: object({}, 'a JSON schema') })],
  ['json_schema'],
).nullish();

/** In the order in which members are checked, so the first failure in this order is reported. */
const countShape = {
  model: z.string(MODEL).min(1, { error: MODEL, abort: true }),
  messages: z.array(message, NON_EMPTY_MESSAGES).min(1, { error: NON_EMPTY_MESSAGES, abort: true }),
  system: z.union([text(), z.array(textBlock)], 'a string or an array of text blocks').nullish(),
  tools: z
    .array(
      z.union([customTool, otherTool], 'a tool with a name and an input_schema, or with a type'),
      'an array of tools',
    )
    .nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: object({ effort: text().nullish(), format: outputFormat }).nullish(),
  output_format: outputFormat,
};

export const messagesRequest = object(
  {
    ...countShape,
    max_tokens: integerFrom(0),
    stream: flag().nullish(),
    temperature: numberIn(0, 1).nullish(),
    top_p: numberIn(0, 1).nullish(),
    top_k: integer().nullish(),
    stop_sequences: z.array(text(), 'an array of strings').nullish(),
    metadata: object({ user_id: text().nullish() }).nullish(),
    service_tier: text().nullish(),
  },
  'a JSON object',
).meta({ id: 'MessageRequest' });

export const countRequest = object(countShape, 'a JSON object').meta({ id: 'MessageCountRequest' });

/** Checks a decoded body of POST /v1/messages; `null` means that it is valid. */
export const validateMessages = bodyValidator(messagesRequest);

/** Checks a decoded body of POST /v1/messages/count_tokens, which has no `max_tokens`. */
export const validateCount = bodyValidator(countRequest);
