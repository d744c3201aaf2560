/*
 * The names of attributes, the only place that spells them. Those of GenAI follow github.com/open-telemetry/semantic-conventions-genai
 * (version 0.1 and its main branch of November 2026), the others semantic-conventions 1.44. Names that begin with `switchyard.` are ours.
 * docs/tracing.md lists all of them; a test compares.
 */

/** HTTP requests: of clients on server spans, and to upstreams on the spans of attempts. */
export const HTTP = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  path: 'url.path',
  clientAddress: 'client.address',
} as const;

/** A low-cardinality name of an error; set exactly if the status of the span is an error. */
export const ERROR_TYPE = 'error.type';

export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  outputType: 'gen_ai.output.type',
  requestModel: 'gen_ai.request.model',
  stream: 'gen_ai.request.stream',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  audioInputTokens: 'gen_ai.usage.audio.input_tokens',
  audioOutputTokens: 'gen_ai.usage.audio.output_tokens',
  imageInputTokens: 'gen_ai.usage.image.input_tokens',
  imageOutputTokens: 'gen_ai.usage.image.output_tokens',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

/** The request in the gateway, on its server span and on the span of its operation. */
export const REQUEST = {
  id: 'switchyard.request.id',
  /** The page of the request in the dashboard; set if `server.public_url` is. */
  url: 'switchyard.request.url',
  clientId: 'switchyard.client_request.id',
  account: 'switchyard.account.id',
  key: 'switchyard.key.id',
  format: 'switchyard.format',
  tags: 'switchyard.tags',
  /** In US dollars, a decimal number as text: no digit is lost. */
  cost: 'switchyard.cost.usd',
  clientGone: 'switchyard.client.gone',
  cacheMatch: 'switchyard.cache.match',
  cacheEntry: 'switchyard.cache.entry.id',
  retries: 'switchyard.retry.count',
  losses: 'switchyard.losses',
  /** The changes of the model, such as `fallback: a → b`. */
  modelSteps: 'switchyard.model.steps',
  /** Why content is not there although the account switched it on. */
  contentOmitted: 'switchyard.content.omitted',
} as const;

/** Quantities other than tokens; a price applies to each. */
export const USAGE = {
  image: 'switchyard.usage.images',
  millisecond: 'switchyard.usage.media_seconds',
  clip: 'switchyard.usage.clips',
  character: 'switchyard.usage.characters',
  web_search: 'switchyard.usage.web_searches',
} as const;

/** The channel that answered, and that of an attempt. A channel is named by its id only, since accounts choose the names of their own. */
export const CHANNEL = {
  id: 'switchyard.channel.id',
  isPrivate: 'switchyard.channel.private',
  provider: 'switchyard.provider',
  upstreamModel: 'switchyard.upstream.model',
  upstreamRequestId: 'switchyard.upstream.request.id',
  attempt: 'switchyard.attempt.number',
  isRelayed: 'switchyard.attempt.relayed',
  /** Seconds from sending the request to the upstream's status and headers. */
  timeToFirstByte: 'switchyard.attempt.time_to_first_byte',
} as const;

export const STEP = {
  mediaBytes: 'switchyard.media.bytes',
} as const;

/** A task, on its span and on those of its polls. */
export const TASK = {
  id: 'switchyard.task.id',
  kind: 'switchyard.task.kind',
  /** The polls by the process that ended the task, of which at most ten have spans. */
  polls: 'switchyard.task.polls',
  failedPolls: 'switchyard.task.failed_polls',
  /** Counts the polls from 1. */
  poll: 'switchyard.task.poll.number',
  /** `working`, `done`, `failed`, or `unanswered` if the poll failed. */
  pollOutcome: 'switchyard.task.poll.outcome',
} as const;

/** A WebSocket. */
export const SESSION = {
  /** The requests on it, each with a trace of its own. */
  turns: 'switchyard.session.turns',
  fromClient: 'switchyard.session.messages.from_client',
  fromUpstream: 'switchyard.session.messages.from_upstream',
} as const;

/** Describe the gateway in every export. */
export const RESOURCE = {
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  /** A process: several workers of one gateway have different ones. */
  serviceInstance: 'service.instance.id',
} as const;

/** The instrumentation scope of all exports. */
export const SCOPE = 'switchyard';

/** Fields of log lines that the conventions, or the spans, have a name for. All others have their own name after the prefix. */
export const LOG_ATTRIBUTES: Readonly<Record<string, string>> = {
  client_address: HTTP.clientAddress,
  method: HTTP.method,
  path: HTTP.path,
  status: HTTP.status,
  failure_kind: ERROR_TYPE,
  error: 'exception.message',
  stack: 'exception.stacktrace',
  request_id: REQUEST.id,
  client_request_id: REQUEST.clientId,
  account_id: REQUEST.account,
  key_id: REQUEST.key,
  format: REQUEST.format,
  cost_usd: REQUEST.cost,
  client_gone: REQUEST.clientGone,
  cached: REQUEST.cacheMatch,
  cache_entry_id: REQUEST.cacheEntry,
  retry_count: REQUEST.retries,
  model_id: GEN_AI.requestModel,
  stream: GEN_AI.stream,
  input_tokens: GEN_AI.inputTokens,
  output_tokens: GEN_AI.outputTokens,
  cached_input_tokens: GEN_AI.cacheReadTokens,
  channel_id: CHANNEL.id,
  provider: CHANNEL.provider,
  upstream_model: CHANNEL.upstreamModel,
  upstream_request_id: CHANNEL.upstreamRequestId,
};
export const LOG_PREFIX = 'switchyard.log.';
