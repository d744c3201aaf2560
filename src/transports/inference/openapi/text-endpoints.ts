import { z } from 'zod';
import {
  countRequest as messageCountRequest,
  messagesRequest,
} from '../../../formats/text/anthropic-messages/schema.ts';
import { countRequest as geminiCountRequest, generateRequest } from '../../../formats/text/gemini/schema.ts';
import { chatRequest } from '../../../formats/text/openai-chat/schema.ts';
import { completionRequest } from '../../../formats/text/openai-completions/schema.ts';
import { responsesRequest } from '../../../formats/text/openai-responses/schema.ts';
import type { DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import { chatCompletion, chatEvent, completion, completionEvent } from './answers/chat.ts';
import { geminiAnswer, geminiChunk, geminiCount } from './answers/gemini.ts';
import { messageAnswer, messageCount, messageEvent } from './answers/messages.ts';
import { compaction, deletedResponse, inputItems, inputTokens, response, responseEvent } from './answers/responses.ts';
import { ANTHROPIC_KEY, call, EVENTS_TYPE, example, GOOGLE_KEY, JSON_TYPE, read } from './describe.ts';
import { KEYED, TEXT_CALL } from './errors.ts';
import { fieldsOf } from './request-schema.ts';

export const TEXT_TAGS: readonly DescribedTag[] = [
  { name: 'Chat completions', description: 'OpenAI’s Chat Completions API.' },
  { name: 'Responses', description: 'OpenAI’s Responses API, and stored responses.' },
  { name: 'Messages', description: 'Anthropic’s Messages API.' },
  { name: 'Gemini', description: 'Google’s Gemini API.' },
  { name: 'Completions', description: 'OpenAI’s legacy text completions.' },
];

/** The members that OpenRouter's clients send to name fallback models. */
const FALLBACK_FIELDS = {
  models: { description: 'Models to ask in this order if every channel of `model` fails before the first byte.' },
  route: { description: '`fallback`, as OpenRouter’s clients send it with `models`.' },
};

const HELLO = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] };
const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const chat: DescribedEndpoint = call({
  path: '/v1/chat/completions',
  operationId: 'createChatCompletion',
  tag: 'Chat completions',
  summary: 'Create a chat completion',
  description:
    'Use any model of `GET /v1/models`. If its provider uses another format, the request and the response are translated. Members that are not listed here are passed on.',
  body: {
    schema: chatRequest,
    fields: { ...fieldsOf('chat.completions'), ...FALLBACK_FIELDS },
    examples: {
      hello: example('A question', HELLO),
      stream: example('A stream with usage at the end', {
        ...HELLO,
        stream: true,
        stream_options: { include_usage: true },
      }),
      tools: example('A function that the model may call', {
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        tools: [{ type: 'function', function: WEATHER }],
      }),
      json: example('JSON that matches a schema', {
        ...HELLO,
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'greeting',
            schema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
          },
        },
      }),
    },
  },
  errors: TEXT_CALL,
  answer: chatCompletion,
  answerDescription: 'The completion, or with `stream: true`, its chunks as server-sent events.',
  event: chatEvent,
});

const completions: DescribedEndpoint = call({
  path: '/v1/completions',
  operationId: 'createCompletion',
  tag: 'Completions',
  summary: 'Create a text completion',
  description:
    'Only served by channels whose provider supports this format. Requests in other formats are not translated to it.',
  body: {
    schema: completionRequest,
    fields: {
      model: { description: 'A model id from `GET /v1/models`.' },
      prompt: { description: 'The text to continue, a list of texts, or token ids.' },
      best_of: { description: 'The number of completions to generate, of which the best is returned.' },
      echo: { description: 'Whether the response begins with the prompt.' },
      frequency_penalty: { description: 'Positive values penalize tokens by how often they have appeared.' },
      logit_bias: { description: 'A bias from -100 to 100, keyed by token id.' },
      logprobs: { description: 'The number of most likely tokens to list at each position.' },
      max_tokens: {
        description: 'The most tokens to generate. -1 for no limit, if the server supports it.',
      },
      n: { description: 'The number of completions to return.', default: 1 },
      presence_penalty: { description: 'Positive values penalize tokens that have appeared at all.' },
      seed: { description: 'If the model supports it, the same seed and request give the same response.' },
      stop: { description: 'Sequences that end the response.' },
      stream: { description: 'Whether to stream the response as server-sent events.', default: false },
      stream_options: { description: 'Options of the stream.' },
      suffix: { description: 'The text that follows the inserted text.' },
      temperature: { description: 'Higher values give more varied output.' },
      top_p: { description: 'Only the most likely tokens whose probabilities add up to this are considered.' },
      top_k: { description: 'The number of most likely tokens to consider.' },
      user: { description: 'Identifies your end user.' },
    },
    examples: {
      text: example('A text', { model: 'sandbox-chat', prompt: 'Once upon a time' }),
      stream: example('A stream', { model: 'sandbox-chat', prompt: 'Once upon a time', stream: true }),
    },
  },
  errors: TEXT_CALL,
  answer: completion,
  answerDescription: 'The text, or with `stream: true`, its chunks as server-sent events.',
  event: completionEvent,
});

const RESPONSE_FIELDS = {
  ...fieldsOf('responses'),
  ...FALLBACK_FIELDS,
  frequency_penalty: { description: 'Positive values penalize tokens by how often they have appeared.' },
  presence_penalty: { description: 'Positive values penalize tokens that have appeared at all.' },
  tool_choice: { description: 'auto, none, required, or an object that names one tool.' },
  stream_options: { description: 'Options of the stream.' },
  include: { description: 'Additional data to return, such as `reasoning.encrypted_content`.' },
  top_logprobs: { description: 'The number of most likely tokens to list at each position.' },
  truncation: { description: 'Whether to drop the oldest items of an input that is too long.' },
  background: { description: 'Background responses are not supported: `true` is refused.' },
  max_tool_calls: { description: 'The most calls to hosted tools.' },
  user: { description: 'Identifies your end user.' },
  safety_identifier: { description: 'Identifies your end user for the provider’s safety checks.' },
  prompt_cache_key: { description: 'Requests with the same key go to the same channel, to use its prompt cache.' },
  service_tier: { description: 'The provider’s service tier.' },
};

/** The contract requires an input; only a request that names a prompt stored at the provider may omit it. */
const createResponseRequest = responsesRequest.extend({ input: responsesRequest.shape.input.unwrap().unwrap() });

const responseId = z.object({ id: z.string().describe('The id of a stored response.') });
const NO_RESPONSE = { code: 'response_not_found', status: 404 } as const;
const NO_PREVIOUS = {
  code: 'response_not_found',
  status: 400,
  publicCode: 'previous_response_not_found',
} as const;

const responses: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/responses',
    operationId: 'createResponse',
    tag: 'Responses',
    summary: 'Create a response',
    description:
      'Responses are stored for 30 days unless `store` is false, and can be continued with `previous_response_id` over any provider. A GET with a WebSocket handshake opens a connection for several responses.',
    body: {
      schema: createResponseRequest,
      fields: RESPONSE_FIELDS,
      examples: {
        text: example('A text', { model: 'sandbox-chat', input: 'Hello!' }),
        items: example('Items, with reasoning', {
          model: 'sandbox-chat',
          input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello!' }] }],
          reasoning: { effort: 'low' },
        }),
        tools: example('A function that the model may call', {
          model: 'sandbox-chat',
          input: 'What is the weather in Paris?',
          tools: [{ type: 'function', ...WEATHER }],
        }),
        stream: example('A stream', { model: 'sandbox-chat', input: 'Hello!', stream: true }),
      },
    },
    errors: [...TEXT_CALL, NO_PREVIOUS],
    answer: response,
    answerDescription: 'The response, or with `stream: true`, its events.',
    event: responseEvent,
  }),
  call({
    path: '/v1/responses/input_tokens',
    operationId: 'countResponseInputTokens',
    tag: 'Responses',
    summary: 'Count the tokens of an input',
    body: {
      schema: responsesRequest,
      fields: RESPONSE_FIELDS,
      examples: { text: example('A text', { model: 'sandbox-chat', input: 'Hello!' }) },
    },
    errors: [...TEXT_CALL, NO_PREVIOUS],
    answer: inputTokens,
    answerDescription: 'The number of tokens.',
  }),
  call({
    path: '/v1/responses/compact',
    operationId: 'compactResponse',
    tag: 'Responses',
    summary: 'Compact a conversation',
    description: 'Shortens the conversation to fewer items, with which the next request continues.',
    body: {
      schema: responsesRequest,
      fields: RESPONSE_FIELDS,
      examples: { text: example('A text', { model: 'sandbox-chat', input: 'Hello!' }) },
    },
    errors: [...TEXT_CALL, NO_PREVIOUS],
    answer: compaction,
    answerDescription: 'The items to continue with.',
  }),
  read({
    path: '/v1/responses/{id}',
    operationId: 'getResponse',
    tag: 'Responses',
    summary: 'Read a stored response',
    pathParameters: responseId,
    errors: [...KEYED, NO_RESPONSE],
    answer: response,
    answerDescription: 'The response as it was returned.',
  }),
  {
    ...read({
      path: '/v1/responses/{id}',
      operationId: 'deleteResponse',
      tag: 'Responses',
      summary: 'Delete a stored response',
      pathParameters: responseId,
      errors: [...KEYED, NO_RESPONSE],
      answer: deletedResponse,
      answerDescription: 'Deleted.',
    }),
    method: 'delete',
  },
  read({
    path: '/v1/responses/{id}/input_items',
    operationId: 'listResponseInputItems',
    tag: 'Responses',
    summary: 'List the input items of a stored response',
    pathParameters: responseId,
    query: z.object({
      limit: z.int().min(1).max(100).optional().describe('The most items per page. The default is 20.'),
      order: z.enum(['asc', 'desc']).optional().describe('The default is `desc`.'),
      after: z.string().optional().describe('The id of the last item of the previous page.'),
    }),
    errors: [...KEYED, NO_RESPONSE],
    answer: inputItems,
    answerDescription: 'A page of input items.',
  }),
];

const ANTHROPIC_HEADERS = z.object({
  'anthropic-version': z
    .string()
    .optional()
    .describe('The version of Anthropic’s API.')
    .meta({ example: '2023-06-01' }),
  'anthropic-beta': z.string().optional().describe('Beta features of Anthropic’s API, separated by commas.'),
});
const MESSAGE_FIELDS = fieldsOf('messages');
const MESSAGE_NAMES = Object.keys(messagesRequest.shape);
const COUNT_NAMES = Object.keys(messageCountRequest.shape);

function messageFields(names: readonly string[]) {
  const fields = {
    ...MESSAGE_FIELDS,
    output_format: { description: 'The schema of the response. Use `output_config` instead.' },
  };
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

const messages: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/messages',
    operationId: 'createMessage',
    tag: 'Messages',
    summary: 'Create a message in Anthropic’s format',
    headers: ANTHROPIC_HEADERS,
    security: ANTHROPIC_KEY,
    envelope: 'anthropic',
    body: {
      schema: messagesRequest,
      fields: messageFields(MESSAGE_NAMES),
      examples: {
        hello: example('A question', { ...HELLO, max_tokens: 1024 }),
        stream: example('A stream', { ...HELLO, max_tokens: 1024, stream: true }),
        tools: example('A tool that the model may call', {
          model: 'sandbox-chat',
          max_tokens: 1024,
          messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
          tools: [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.parameters }],
        }),
      },
    },
    errors: TEXT_CALL,
    answer: messageAnswer,
    answerDescription: 'The message, or with `stream: true`, its events.',
    event: messageEvent,
  }),
  call({
    path: '/v1/messages/count_tokens',
    operationId: 'countMessageTokens',
    tag: 'Messages',
    summary: 'Count the tokens of a message request',
    headers: ANTHROPIC_HEADERS,
    security: ANTHROPIC_KEY,
    envelope: 'anthropic',
    body: {
      schema: messageCountRequest,
      fields: messageFields(COUNT_NAMES),
      examples: { hello: example('A question', HELLO) },
    },
    errors: TEXT_CALL,
    answer: messageCount,
    answerDescription: 'The number of tokens.',
  }),
];

const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] };
const geminiPath = z.object({ model: z.string().describe('A model id.').meta({ example: 'sandbox-chat' }) });

const gemini: readonly DescribedEndpoint[] = [
  call({
    path: '/v1beta/models/{model}:generateContent',
    operationId: 'generateContent',
    tag: 'Gemini',
    summary: 'Generate content in Google’s format',
    description: 'Also available at `/v1/models/{model}:generateContent`. Member names can also be in snake_case.',
    pathParameters: geminiPath,
    security: GOOGLE_KEY,
    envelope: 'gemini',
    body: {
      schema: generateRequest,
      fields: fieldsOf('generate_content'),
      examples: { hello: example('A question', CONTENTS) },
    },
    errors: TEXT_CALL,
    answer: geminiAnswer,
    answerDescription: 'The response.',
  }),
  {
    ...call({
      path: '/v1beta/models/{model}:streamGenerateContent',
      operationId: 'streamGenerateContent',
      tag: 'Gemini',
      summary: 'Stream content in Google’s format',
      description: 'Also available at `/v1/models/{model}:streamGenerateContent`.',
      pathParameters: geminiPath,
      query: z.object({
        alt: z
          .enum(['sse', 'json'])
          .optional()
          .describe('`sse` for server-sent events. Otherwise the response is one JSON array, sent element by element.'),
      }),
      security: GOOGLE_KEY,
      envelope: 'gemini',
      body: {
        schema: generateRequest,
        fields: fieldsOf('generate_content'),
        examples: { hello: example('A question', CONTENTS) },
      },
      errors: TEXT_CALL,
      answer: geminiAnswer,
      answerDescription: '',
    }),
    answers: [
      {
        status: 200,
        description: 'The chunks of the response: a JSON array, or with `alt=sse`, events.',
        content: { [JSON_TYPE]: { schema: z.array(geminiChunk) }, [EVENTS_TYPE]: { schema: geminiChunk } },
      },
    ],
  },
  call({
    path: '/v1beta/models/{model}:countTokens',
    operationId: 'countGeminiTokens',
    tag: 'Gemini',
    summary: 'Count tokens in Google’s format',
    pathParameters: geminiPath,
    security: GOOGLE_KEY,
    envelope: 'gemini',
    body: {
      schema: geminiCountRequest,
      fields: {
        ...fieldsOf('generate_content'),
        generateContentRequest: { description: 'A complete request, instead of the other members.' },
      },
      examples: { hello: example('A question', CONTENTS) },
    },
    errors: TEXT_CALL,
    answer: geminiCount,
    answerDescription: 'The number of tokens.',
  }),
];

export const textEndpoints: readonly DescribedEndpoint[] = [chat, ...responses, ...messages, ...gemini, completions];
