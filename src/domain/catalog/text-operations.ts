import { MODEL, TEMPERATURE_DESCRIPTION, USER } from './common-parameters.ts';
import type { ModelOperation, Parameter } from './model-operation.ts';

type Parameters = Readonly<Record<string, Parameter>>;

export type TextOperation = Extract<
  ModelOperation,
  | 'chat.completions'
  | 'responses'
  | 'messages'
  | 'generate_content'
  | 'embeddings'
  | 'rerank'
  | 'moderations'
  | 'search'
>;

const STREAM: Parameter = {
  type: 'boolean',
  default: false,
  description: 'Whether to stream the response as server-sent events.',
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
  max_tokens: { type: 'integer', description: 'The maximum number of tokens in the response.' },
  max_completion_tokens: { type: 'integer', description: 'An alias of max_tokens; send only one of them.' },
  stream: STREAM,
  stream_options: {
    type: 'object',
    description: 'What the stream includes besides the response.',
    properties: {
      include_usage: { type: 'boolean', default: false, description: 'Whether the stream also includes token usage.' },
    },
  },
  top_p: {
    type: 'number',
    default: 1,
    description: 'Nucleus sampling: only the likeliest tokens whose probabilities add up to this value are considered.',
  },
  top_k: {
    type: 'integer',
    description: 'Only this number of the likeliest tokens is considered; for some model families.',
  },
  frequency_penalty: {
    type: 'number',
    default: 0,
    minimum: -2,
    maximum: 2,
    description: 'Above 0, tokens become less likely the more often they have appeared.',
  },
  presence_penalty: {
    type: 'number',
    default: 0,
    minimum: -2,
    maximum: 2,
    description: 'Above 0, tokens that have already appeared become less likely.',
  },
  stop: { type: ['string', 'array'], maxItems: 4, description: 'Up to 4 sequences at which generation stops.' },
  tools: { type: 'array', description: 'The functions that the model may call.' },
  tool_choice: {
    type: ['string', 'object'],
    description: 'auto, none, required, or an object that names one tool.',
  },
  parallel_tool_calls: {
    type: 'boolean',
    default: true,
    description: 'Whether one response may contain several tool calls.',
  },
  reasoning_effort: {
    type: 'string',
    enum: ['low', 'medium', 'high'],
    description: 'How much a reasoning model reasons before it responds.',
  },
  seed: { type: 'integer', description: 'If the model supports it, the same seed and request give the same response.' },
  n: { type: 'integer', default: 1, minimum: 1, maximum: 128, description: 'The number of responses to generate.' },
  logprobs: { type: 'boolean', description: 'Whether the response includes the log probability of each token.' },
  top_logprobs: {
    type: 'integer',
    minimum: 0,
    maximum: 20,
    description: 'The number of likeliest tokens to list at each position; requires logprobs: true.',
  },
  response_format: {
    type: 'object',
    description: 'JSON, or JSON that follows a schema as well as the model can.',
    properties: {
      type: { type: 'string', required: true, enum: ['text', 'json_object', 'json_schema'] },
      json_schema: { type: 'object', description: 'name, schema and strict, if type is json_schema.' },
    },
  },
  logit_bias: { type: 'object', description: 'A map from token ids (strings) to biases from -100 to 100.' },
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
        description: 'The maximum age of an entry in seconds.',
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
  max_output_tokens: {
    type: 'integer',
    description: 'The maximum number of tokens in the response, including reasoning.',
  },
  temperature: { type: 'number', default: 1, minimum: 0, maximum: 2, description: TEMPERATURE_DESCRIPTION },
  top_p: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Nucleus sampling: only the likeliest tokens whose probabilities add up to this value are considered.',
  },
  tools: {
    type: 'array',
    description:
      'The functions and hosted tools that the model may call; an image_generation tool must not have background: transparent.',
  },
  stream: STREAM,
  previous_response_id: { type: 'string', description: 'The id of the response to continue.' },
  store: {
    type: 'boolean',
    default: true,
    description: 'Whether to store the response so that it can be continued later.',
  },
  metadata: { type: 'object', description: 'Your own keys and values, stored with the response.' },
  text: { type: 'object', description: 'Text output options; the support for format depends on the model and route.' },
  parallel_tool_calls: {
    type: 'boolean',
    default: true,
    description: 'Whether one response may contain several tool calls.',
  },
  reasoning: {
    type: 'object',
    description: 'How much the model reasons.',
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
    description: 'The maximum number of tokens in the response.',
  },
  system: { type: ['string', 'array'], description: 'System instructions, a string or an array of text blocks.' },
  stop_sequences: { type: 'array', description: 'Sequences at which generation stops.' },
  stream: STREAM,
  temperature: { type: 'number', default: 1, minimum: 0, maximum: 1, description: TEMPERATURE_DESCRIPTION },
  top_p: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Nucleus sampling: only the likeliest tokens whose probabilities add up to this value are considered.',
  },
  top_k: { type: 'integer', minimum: 0, description: 'Only this number of the likeliest tokens is considered.' },
  tools: { type: 'array', description: 'The tools that the model may call.' },
  tool_choice: { type: 'object', description: 'type is auto, any, none, or tool together with a name.' },
  thinking: { type: 'object', description: 'Whether the model thinks before it responds, and its token budget.' },
  output_config: { type: 'object', description: 'The effort of the response, and the schema that it follows.' },
  cache_control: {
    type: 'object',
    description: "The provider's prompt cache: where the cached part of the prompt ends.",
  },
  metadata: { type: 'object', description: 'user_id identifies your end user.' },
  service_tier: {
    type: 'string',
    enum: ['auto', 'standard_only'],
    description: 'The capacity that may serve the request.',
  },
  container: { type: 'string', description: 'The container that code execution reuses.' },
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
    description: 'Generation settings: temperature, topP, topK, maxOutputTokens, stopSequences and others.',
  },
  tools: { type: 'array', description: 'The tools that the model may call.' },
  toolConfig: { type: 'object', description: 'Which tools may be called, and when.' },
  safetySettings: { type: 'array', description: 'What to block, as {category, threshold}.' },
  cachedContent: { type: 'string', description: 'The name of content cached by the provider.' },
};

/** The rows of the contract's table, in its order. */
const EMBEDDINGS: Parameters = {
  model: MODEL,
  input: { type: ['string', 'array'], required: true, description: 'One text, or an array of texts.' },
  encoding_format: {
    type: 'string',
    default: 'float',
    enum: ['float', 'base64'],
    description: 'Whether a vector is returned as numbers or as a base64 string.',
  },
  dimensions: {
    type: 'integer',
    description: 'The length of the vectors; the possible lengths depend on the model.',
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
    description: 'The number of results, at most the number of documents, which is the default.',
  },
  return_documents: {
    type: 'boolean',
    default: false,
    description: 'Whether each result includes the text of its document.',
  },
};

/** From OpenAI's published document, `CreateModerationRequest`; the contract has no such endpoint. */
const MODERATIONS: Parameters = {
  input: {
    type: ['string', 'array'],
    required: true,
    description: 'The text to moderate, a list of texts, or a list of parts (texts and image URLs).',
  },
  model: { ...MODEL, required: false, default: 'omni-moderation-latest' },
};

/** From Perplexity's published document, "Search API"; the contract has no such endpoint. */
const SEARCH: Parameters = {
  query: { type: 'string', required: true, maxLength: 2_000, description: 'The text to search the web for.' },
  model: { ...MODEL, required: false },
  max_results: { type: 'integer', minimum: 1, maximum: 20, default: 10, description: 'The number of results.' },
  country: { type: 'string', description: 'Prefers results for a country: two letters, such as US.' },
  search_domain_filter: {
    type: 'array',
    maxItems: 20,
    description: 'Only results of these domains; a domain that begins with a minus is left out.',
  },
  search_recency_filter: {
    type: 'string',
    enum: ['day', 'week', 'month', 'year'],
    description: 'Only pages of the last day, week, month or year.',
  },
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
  search: SEARCH,
};
