import { MODEL, TEMPERATURE_DESCRIPTION, USER } from './common-parameters.ts';
import type { ModelOperation, Parameter } from './model-operation.ts';

type Parameters = Readonly<Record<string, Parameter>>;

export type TextOperation = Extract<
  ModelOperation,
  'chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'moderations'
>;

const STREAM: Parameter = {
  type: 'boolean',
  default: false,
  description: 'Whether the answer comes piece by piece, as server-sent events.',
};

/** The rows of the contract's table, in its order. */
const CHAT_COMPLETIONS: Parameters = {
  model: MODEL,
  messages: {
    type: 'array',
    required: true,
    description:
      'The conversation as {role, content}: role is system, user or assistant, content a string or an array of blocks of type text, image_url, video_url or audio_url.',
  },
  temperature: { type: 'number', default: 1, minimum: 0, maximum: 2, description: TEMPERATURE_DESCRIPTION },
  max_tokens: { type: 'integer', description: 'The most tokens that the answer may have.' },
  max_completion_tokens: { type: 'integer', description: 'The same as max_tokens; give one of the two.' },
  stream: STREAM,
  stream_options: {
    type: 'object',
    description: 'What the stream carries beside the answer.',
    properties: {
      include_usage: { type: 'boolean', default: false, description: 'The stream also carries the token usage.' },
    },
  },
  top_p: {
    type: 'number',
    default: 1,
    description: 'Only the likeliest tokens whose probabilities add up to this are considered.',
  },
  top_k: {
    type: 'integer',
    description: 'Only this many of the likeliest tokens are considered; for some model families.',
  },
  frequency_penalty: {
    type: 'number',
    default: 0,
    minimum: -2,
    maximum: 2,
    description: 'Above 0, a token is the less likely the more often it has appeared.',
  },
  presence_penalty: {
    type: 'number',
    default: 0,
    minimum: -2,
    maximum: 2,
    description: 'Above 0, tokens that have appeared at all are less likely.',
  },
  stop: { type: ['string', 'array'], maxItems: 4, description: 'Up to 4 sequences at which the answer ends.' },
  tools: { type: 'array', description: 'The functions that the model may call.' },
  tool_choice: {
    type: ['string', 'object'],
    description: 'auto, none, required, or an object that names one tool.',
  },
  parallel_tool_calls: {
    type: 'boolean',
    default: true,
    description: 'Whether one answer may hold several tool calls.',
  },
  reasoning_effort: {
    type: 'string',
    enum: ['low', 'medium', 'high'],
    description: 'How long a reasoning model thinks before it answers.',
  },
  seed: { type: 'integer', description: 'The same seed and request give the same answer where the model can do so.' },
  n: { type: 'integer', default: 1, minimum: 1, maximum: 128, description: 'How many answers to give.' },
  logprobs: { type: 'boolean', description: 'Whether the answer carries the log probability of each of its tokens.' },
  top_logprobs: {
    type: 'integer',
    minimum: 0,
    maximum: 20,
    description: 'How many likeliest tokens are listed at each position; requires logprobs: true.',
  },
  response_format: {
    type: 'object',
    description: 'JSON, or JSON of a schema as well as the model can.',
    properties: {
      type: { type: 'string', required: true, enum: ['text', 'json_object', 'json_schema'] },
      json_schema: { type: 'object', description: 'name, schema and strict, where type is json_schema.' },
    },
  },
  logit_bias: { type: 'object', description: 'A bias of -100 to 100 by token id (a string).' },
  user: USER,
  cache_control: {
    type: 'object',
    description: "The gateway's own cache.",
    properties: {
      type: {
        type: 'string',
        enum: ['default', 'no_cache', 'no_store', 'response_only', 'semantic_only'],
        default: 'default',
      },
      max_age: {
        type: 'integer',
        minimum: 0,
        maximum: 86_400,
        description: 'The greatest age of an entry in seconds.',
      },
    },
  },
};

/** The rows of the contract's table, in its order. */
const RESPONSES: Parameters = {
  model: MODEL,
  input: {
    type: 'array',
    required: true,
    description:
      'Items of type message, function_call or function_call_output; the content of a message is a string or an array of blocks of type input_text or input_image.',
  },
  instructions: { type: 'string', description: 'System instructions.' },
  max_output_tokens: { type: 'integer', description: 'The most tokens that the answer may have, reasoning included.' },
  temperature: { type: 'number', default: 1, minimum: 0, maximum: 2, description: TEMPERATURE_DESCRIPTION },
  top_p: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Only the likeliest tokens whose probabilities add up to this are considered.',
  },
  tools: {
    type: 'array',
    description:
      'The functions and hosted tools that the model may call; an image_generation tool must not have background: transparent.',
  },
  stream: STREAM,
  previous_response_id: { type: 'string', description: 'The id of the response that this one continues.' },
  store: { type: 'boolean', default: true, description: 'Whether the response is kept, to be continued later.' },
  metadata: { type: 'object', description: 'Your own keys and values, kept with the response.' },
  text: { type: 'object', description: 'How text comes; format depends on the model and its route.' },
  parallel_tool_calls: {
    type: 'boolean',
    default: true,
    description: 'Whether one answer may hold several tool calls.',
  },
  reasoning: {
    type: 'object',
    description: 'How long the model thinks.',
    properties: { effort: { type: 'string', enum: ['low', 'medium', 'high'] } },
  },
};

/** The contract shows model, max_tokens and messages; the others are the format's published members. */
const MESSAGES: Parameters = {
  model: MODEL,
  messages: {
    type: 'array',
    required: true,
    description: 'The conversation as {role, content}; content is a string or an array of blocks.',
  },
  max_tokens: {
    type: 'integer',
    required: true,
    minimum: 0,
    description: 'The most tokens that the answer may have.',
  },
  system: { type: ['string', 'array'], description: 'System instructions, a string or an array of text blocks.' },
  stop_sequences: { type: 'array', description: 'Sequences at which the answer ends.' },
  stream: STREAM,
  temperature: { type: 'number', default: 1, minimum: 0, maximum: 1, description: TEMPERATURE_DESCRIPTION },
  top_p: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Only the likeliest tokens whose probabilities add up to this are considered.',
  },
  top_k: { type: 'integer', minimum: 0, description: 'Only this many of the likeliest tokens are considered.' },
  tools: { type: 'array', description: 'The tools that the model may call.' },
  tool_choice: { type: 'object', description: 'type is auto, any, none, or tool together with a name.' },
  thinking: { type: 'object', description: 'Whether the model thinks before it answers, and with how many tokens.' },
  output_config: { type: 'object', description: 'The effort of the answer, and the schema that it follows.' },
  cache_control: {
    type: 'object',
    description: "The provider's prompt cache: where the cached part of the prompt ends.",
  },
  metadata: { type: 'object', description: 'user_id identifies your end user.' },
  service_tier: {
    type: 'string',
    enum: ['auto', 'standard_only'],
    description: 'Which capacity may serve the request.',
  },
  container: { type: 'string', description: 'The container that code execution uses again.' },
  inference_geo: { type: 'string', description: 'The region in which the model runs.' },
};

/** The format's published members except `model`, which this format has in the path. */
const GENERATE_CONTENT: Parameters = {
  contents: {
    type: 'array',
    required: true,
    description: 'The conversation as {role, parts}; role is user or model.',
  },
  systemInstruction: { type: 'object', description: 'System instructions, as {parts}.' },
  generationConfig: {
    type: 'object',
    description: 'How the answer is made: temperature, topP, topK, maxOutputTokens, stopSequences and others.',
  },
  tools: { type: 'array', description: 'The tools that the model may call.' },
  toolConfig: { type: 'object', description: 'Which of the tools are called, and when.' },
  safetySettings: { type: 'array', description: 'What is blocked, as {category, threshold}.' },
  cachedContent: { type: 'string', description: 'The name of content that the provider has cached.' },
};

/** The rows of the contract's table, in its order. */
const EMBEDDINGS: Parameters = {
  model: MODEL,
  input: { type: ['string', 'array'], required: true, description: 'One text, or an array of texts.' },
  encoding_format: {
    type: 'string',
    default: 'float',
    enum: ['float', 'base64'],
    description: 'Whether a vector comes as numbers or as a base64 string.',
  },
  dimensions: {
    type: 'integer',
    description: 'The length of the vectors; which ones are possible depends on the model.',
  },
  user: USER,
};

/** The rows of the contract's table, in its order. */
const RERANK: Parameters = {
  model: MODEL,
  query: { type: 'string', required: true, maxLength: 32_000, description: 'At most 32,000 characters.' },
  documents: {
    type: 'array',
    required: true,
    maxItems: 1_000,
    description: 'At most 1,000 texts, each of at most 100,000 characters, at most 2,000,000 characters in total.',
  },
  top_n: {
    type: 'integer',
    minimum: 1,
    description: 'How many results to give, at most the number of documents, which is also the default.',
  },
  return_documents: {
    type: 'boolean',
    default: false,
    description: 'Whether each result carries the text of its document.',
  },
};

/** From OpenAI's published document, `CreateModerationRequest`; the contract has no such endpoint. */
const MODERATIONS: Parameters = {
  input: {
    type: ['string', 'array'],
    required: true,
    description: 'The text to moderate, a list of texts, or a list of parts: texts and pictures by URL.',
  },
  model: { ...MODEL, required: false, default: 'omni-moderation-latest' },
};

/** The body members of each text operation (contract, Chat and text; Embeddings and rerank). */
export const TEXT_PARAMETERS: Readonly<Record<TextOperation, Parameters>> = {
  'chat.completions': CHAT_COMPLETIONS,
  responses: RESPONSES,
  messages: MESSAGES,
  generate_content: GENERATE_CONTENT,
  embeddings: EMBEDDINGS,
  rerank: RERANK,
  moderations: MODERATIONS,
};
