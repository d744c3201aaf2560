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
  { name: 'Chat completions', description: 'OpenAI’s chat completions: the usual way to text.' },
  { name: 'Responses', description: 'OpenAI’s Responses, and those that the gateway keeps.' },
  { name: 'Messages', description: 'Anthropic’s messages.' },
  { name: 'Gemini', description: 'Google’s generative content.' },
  { name: 'Completions', description: 'OpenAI’s older completions of a text.' },
];

const HELLO = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] };
const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const chat: DescribedEndpoint = call({
  path: '/v1/chat/completions',
  operationId: 'createChatCompletion',
  tag: 'Chat completions',
  summary: 'Answer a conversation',
  description:
    'The model is any of `GET /v1/models`, of whichever provider: the request and the answer are translated where that speaks another format. Members that are not named here are passed on.',
  body: {
    schema: chatRequest,
    fields: fieldsOf('chat.completions'),
    examples: {
      hello: example('A question', HELLO),
      stream: example('A stream that ends with the usage', {
        ...HELLO,
        stream: true,
        stream_options: { include_usage: true },
      }),
      tools: example('A function that the model may call', {
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        tools: [{ type: 'function', function: WEATHER }],
      }),
      json: example('JSON of a schema', {
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
  answerDescription: 'The completion, or with `stream: true` its pieces as server-sent events.',
  event: chatEvent,
});

const completions: DescribedEndpoint = call({
  path: '/v1/completions',
  operationId: 'createCompletion',
  tag: 'Completions',
  summary: 'Continue a text',
  description:
    'Served by the channels whose provider has this format; no other format’s requests are translated into it.',
  body: {
    schema: completionRequest,
    fields: {
      model: { description: 'A model id, as `GET /v1/models` lists them.' },
      prompt: { description: 'The text to continue, several of them, or the ids of its tokens.' },
      best_of: { description: 'How many are made, of which the best is given.' },
      echo: { description: 'Whether the answer begins with the prompt.' },
      frequency_penalty: { description: 'Above 0, a token is the less likely the more often it has appeared.' },
      logit_bias: { description: 'A bias of -100 to 100 by token id.' },
      logprobs: { description: 'How many likeliest tokens are listed at each position.' },
      max_tokens: {
        description: 'The most tokens that the answer may have; -1 for no bound, where the server knows it.',
      },
      n: { description: 'How many answers to give.', default: 1 },
      presence_penalty: { description: 'Above 0, tokens that have appeared at all are less likely.' },
      seed: { description: 'The same seed and request give the same answer where the model can do so.' },
      stop: { description: 'Sequences at which the answer ends.' },
      stream: { description: 'Whether the answer comes piece by piece, as server-sent events.', default: false },
      stream_options: { description: 'What the stream carries beside the answer.' },
      suffix: { description: 'What comes after the text that is inserted.' },
      temperature: { description: 'Higher is more varied.' },
      top_p: { description: 'Only the likeliest tokens whose probabilities add up to this are considered.' },
      top_k: { description: 'Only this many of the likeliest tokens are considered.' },
      user: { description: 'Identifies your end user.' },
    },
    examples: {
      text: example('A text', { model: 'sandbox-chat', prompt: 'Once upon a time' }),
      stream: example('A stream', { model: 'sandbox-chat', prompt: 'Once upon a time', stream: true }),
    },
  },
  errors: TEXT_CALL,
  answer: completion,
  answerDescription: 'The text, or with `stream: true` its pieces as server-sent events.',
  event: completionEvent,
});

const RESPONSE_FIELDS = {
  ...fieldsOf('responses'),
  frequency_penalty: { description: 'Above 0, a token is the less likely the more often it has appeared.' },
  presence_penalty: { description: 'Above 0, tokens that have appeared at all are less likely.' },
  tool_choice: { description: 'auto, none, required, or an object that names one tool.' },
  stream_options: { description: 'What the stream carries beside the answer.' },
  include: { description: 'Further data that the answer carries, such as `reasoning.encrypted_content`.' },
  top_logprobs: { description: 'How many likeliest tokens are listed at each position.' },
  truncation: { description: 'Whether the oldest items are left out of an input that is too long.' },
  background: { description: 'Work in the background, which the gateway does not do: `true` is refused.' },
  max_tool_calls: { description: 'The most calls of hosted tools.' },
  user: { description: 'Identifies your end user.' },
  safety_identifier: { description: 'Identifies your end user to the provider’s checks.' },
  prompt_cache_key: { description: 'Requests with the same key go to the same channel and its cache of prompts.' },
  service_tier: { description: 'Which capacity of the provider may serve the request.' },
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
    summary: 'Answer with a response',
    description:
      'Responses are kept for 30 days unless `store` is false, and can be continued by `previous_response_id` over any provider. A GET with the handshake of a WebSocket opens a connection for several responses.',
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
    answerDescription: 'The response, or with `stream: true` its events.',
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
    description: 'The conversation as fewer items, with which the next request continues.',
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
    answerDescription: 'The response as it was given.',
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
      answerDescription: 'It is gone.',
    }),
    method: 'delete',
  },
  read({
    path: '/v1/responses/{id}/input_items',
    operationId: 'listResponseInputItems',
    tag: 'Responses',
    summary: 'List the input of a stored response',
    pathParameters: responseId,
    query: z.object({
      limit: z.int().min(1).max(100).optional().describe('The most items; 20 by default.'),
      order: z.enum(['asc', 'desc']).optional().describe('`desc` by default.'),
      after: z.string().optional().describe('The id of the item before the first one.'),
    }),
    errors: [...KEYED, NO_RESPONSE],
    answer: inputItems,
    answerDescription: 'A page of its input items.',
  }),
];

const ANTHROPIC_HEADERS = z.object({
  'anthropic-version': z.string().optional().describe('A version of Anthropic’s API.').meta({ example: '2023-06-01' }),
  'anthropic-beta': z.string().optional().describe('Betas of Anthropic’s API, separated by commas.'),
});
const MESSAGE_FIELDS = fieldsOf('messages');
const MESSAGE_NAMES = Object.keys(messagesRequest.shape);
const COUNT_NAMES = Object.keys(messageCountRequest.shape);

function messageFields(names: readonly string[]) {
  const fields = {
    ...MESSAGE_FIELDS,
    output_format: { description: 'The schema of the answer; older than output_config.' },
  };
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

const messages: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/messages',
    operationId: 'createMessage',
    tag: 'Messages',
    summary: 'Answer a conversation in Anthropic’s format',
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
    answerDescription: 'The message, or with `stream: true` its events.',
    event: messageEvent,
  }),
  call({
    path: '/v1/messages/count_tokens',
    operationId: 'countMessageTokens',
    tag: 'Messages',
    summary: 'Count the tokens of a conversation',
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
    summary: 'Answer a conversation in Google’s format',
    description: 'The same is at `/v1/models/{model}:generateContent`. Names may be in snake_case, too.',
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
    answerDescription: 'The answer.',
  }),
  {
    ...call({
      path: '/v1beta/models/{model}:streamGenerateContent',
      operationId: 'streamGenerateContent',
      tag: 'Gemini',
      summary: 'Answer a conversation in Google’s format as a stream',
      description: 'The same is at `/v1/models/{model}:streamGenerateContent`.',
      pathParameters: geminiPath,
      query: z.object({
        alt: z
          .enum(['sse', 'json'])
          .optional()
          .describe('`sse` for events; else the answer is one JSON array that grows.'),
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
        description: 'The pieces of the answer: a JSON array, or with `alt=sse` events.',
        content: { [JSON_TYPE]: { schema: z.array(geminiChunk) }, [EVENTS_TYPE]: { schema: geminiChunk } },
      },
    ],
  },
  call({
    path: '/v1beta/models/{model}:countTokens',
    operationId: 'countGeminiTokens',
    tag: 'Gemini',
    summary: 'Count the tokens of a conversation in Google’s format',
    pathParameters: geminiPath,
    security: GOOGLE_KEY,
    envelope: 'gemini',
    body: {
      schema: geminiCountRequest,
      fields: {
        ...fieldsOf('generate_content'),
        generateContentRequest: { description: 'A whole request, in place of its members here.' },
      },
      examples: { hello: example('A question', CONTENTS) },
    },
    errors: TEXT_CALL,
    answer: geminiCount,
    answerDescription: 'The number of tokens.',
  }),
];

export const textEndpoints: readonly DescribedEndpoint[] = [chat, ...responses, ...messages, ...gemini, completions];
