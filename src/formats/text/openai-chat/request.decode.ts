import type { FieldNames } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest, RestField } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { listOf, numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { InboundCall, ParsedRequest } from '../client-request.ts';
import { NOT_AT_END, withMarkAtEnd } from '../shared/cache-marks.ts';
import { noteOdd, noteUnknown } from '../shared/rest.ts';
import { includesUsage, isUsageOption, wantsUsageCost } from '../shared/usage-cost.ts';
import { cacheMarkOf, isCacheMark } from './content.decode.ts';
import { fields, NAMES, REST_FIELDS } from './fields.ts';
import { MessageDecoder } from './messages.decode.ts';
import { decodeReasoning, REASONING_MEMBERS } from './reasoning.decode.ts';
import { FORMAT, validateChatRequest } from './schema.ts';
import { decodeResponseFormat, decodeToolChoice, decodeTools } from './tools.decode.ts';

export const GOVERNED = new GovernedNames(fields);

/** Parses and validates a chat request against the contract's table (POST /v1/chat/completions). */
export function parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure {
  const parsed = parseBody(source, '`model` and `messages`', GOVERNED);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const violation = validateChatRequest(body);
  if (violation) return violation;
  const wantsCost = wantsUsageCost(body);
  return {
    call,
    model: String(body.model),
    stream: body.stream === true,
    wantsStreamUsage: wantsCost || includesUsage(body),
    omitsNullUsage: wantsCost,
    ...parsed,
  };
}

type Body = Readonly<Record<string, unknown>>;

/** Members that the canonical request has a place for, and members that the gateway itself serves. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'cache_control', 'tools', 'functions', 'web_search_options'],
  ...['tool_choice', 'function_call', 'parallel_tool_calls', 'max_tokens', 'max_completion_tokens', 'temperature'],
  ...['top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'seed', 'stop', 'n', 'logprobs', 'top_logprobs'],
  ...['logit_bias', 'response_format', 'verbosity', 'modalities', 'user', 'safety_identifier', 'metadata'],
  ...['service_tier', 'prompt_cache_key', 'extra_body', 'session_id', 'models', 'route'],
  ...REASONING_MEMBERS,
  ...Object.keys(REST_FIELDS),
]);
const STREAM_OPTIONS = new Set(['include_usage']);

/** Returns a chat request in the canonical form. Members that have no place there go into `rest`. */
export function decodeRequest(parsed: ParsedRequest): ExchangeRequest {
  return atOnce(decodeSteps(parsed));
}

export function* decodeSteps({ body }: ParsedRequest): Steps<ExchangeRequest> {
  const rest: RestField[] = [];
  const decoder = new MessageDecoder(rest);
  const decoded: Message[] = [];
  for (const [index, message] of listOf(body.messages).entries()) {
    const one = decoder.decode(message, index);
    if (one !== null) decoded.push(one);
    yield;
  }
  const messages = withOwnMark(decoded, body, rest);
  const tools = decodeTools(body, rest);
  const toolChoice = decodeToolChoice(body, rest);
  const responseFormat = decodeResponseFormat(body.response_format, rest);
  const reasoning = decodeReasoning(body, rest);
  noteRest(body, rest);
  return {
    format: FORMAT,
    names: { ...NAMES, ...reasoning.names, ...namesIn(body) },
    messages,
    tools,
    toolChoice,
    parallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : null,
    maxOutputTokens: numberOrNull(body.max_completion_tokens) ?? numberOrNull(body.max_tokens),
    temperature: numberOrNull(body.temperature),
    topP: numberOrNull(body.top_p),
    topK: numberOrNull(body.top_k),
    frequencyPenalty: numberOrNull(body.frequency_penalty),
    presencePenalty: numberOrNull(body.presence_penalty),
    seed: numberOrNull(body.seed),
    stop: stopOf(body.stop),
    candidateCount: numberOrNull(body.n),
    logprobs: body.logprobs === true ? { top: numberOrNull(body.top_logprobs) ?? 0 } : null,
    logitBias: logitBiasOf(body.logit_bias),
    responseFormat,
    reasoning: reasoning.options,
    verbosity: textOrNull(body.verbosity),
    modalities: Array.isArray(body.modalities) ? body.modalities.filter((item) => typeof item === 'string') : null,
    user: textOrNull(body.user) ?? textOrNull(body.safety_identifier),
    metadata: isRecord(body.metadata) ? body.metadata : null,
    serviceTier: textOrNull(body.service_tier),
    cacheKey: textOrNull(body.prompt_cache_key),
    rest,
  };
}

/**
 * Applies OpenRouter's `cache_control` of the whole request. Its document defines it as a mark after the last block that can have
 * one.
 */
function withOwnMark(messages: readonly Message[], body: Body, rest: RestField[]): readonly Message[] {
  const control = body.cache_control;
  if (!isCacheMark(control)) return messages;
  const cache = cacheMarkOf(body, '', rest);
  const marked = cache === null ? null : withMarkAtEnd(messages, { ...cache, path: 'cache_control' });
  if (marked !== null) return marked;
  rest.push({ path: 'cache_control', value: control, verdict: 'approximated', why: NOT_AT_END });
  return messages;
}

/** The older name of a feature, for clients that use it. */
const LEGACY_CHOICE: FieldNames = {
  'tool-choice': 'function_call',
  'tool-choice-required': 'function_call',
  'tool-choice-named': 'function_call',
};

function namesIn(body: Body): FieldNames {
  return {
    ...(numberOrNull(body.max_completion_tokens) === null && numberOrNull(body.max_tokens) !== null
      ? { 'max-output-tokens': 'max_tokens' }
      : {}),
    ...(textOrNull(body.user) === null && textOrNull(body.safety_identifier) !== null
      ? { user: 'safety_identifier' }
      : {}),
    ...(isRecord(body.response_format) && isRecord(body.response_format.json_schema)
      ? { 'json-schema': 'response_format.json_schema' }
      : {}),
    ...(body.tool_choice === undefined && body.function_call !== undefined ? LEGACY_CHOICE : {}),
  };
}

function noteRest(body: Body, rest: RestField[]): void {
  noteUnknown(body, KNOWN, '', rest);
  for (const [path, { verdict, why }] of Object.entries(REST_FIELDS)) {
    const value = body[path];
    if (path === 'usage' && isUsageOption(value)) continue;
    if (value !== undefined && value !== null) rest.push({ path, value, verdict, why });
  }
  if (isRecord(body.stream_options)) noteUnknown(body.stream_options, STREAM_OPTIONS, 'stream_options', rest);
  noteExtraBody(body, rest);
  for (const [member, isKnown] of ODD_MEMBERS) noteOdd(body, member, isKnown, '', rest);
  if (Array.isArray(body.modalities) && body.modalities.some((item) => typeof item !== 'string')) {
    noteOdd(body, 'modalities', () => false, '', rest);
  }
  noteSecond(body, 'max_tokens', 'max_completion_tokens', rest);
  noteSecond(body, 'safety_identifier', 'user', rest);
  noteSecond(body, 'function_call', 'tool_choice', rest);
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';

/** Members that the schema does not check because providers define them, and the values that the gateway can read. */
const ODD_MEMBERS: readonly (readonly [member: string, isKnown: (value: unknown) => boolean])[] = [
  ['verbosity', isText],
  ['safety_identifier', isText],
  ['service_tier', isText],
  ['prompt_cache_key', isText],
  ['metadata', isRecord],
  ['modalities', Array.isArray],
  ['functions', Array.isArray],
  ['web_search_options', isRecord],
  ['top_logprobs', isNumber],
  ['function_call', (value) => isText(value) || isRecord(value)],
];

/** Notes a literal `extra_body`, which SDKs normally merge into the body; it has a meaning only for Google's own endpoint. */
function noteExtraBody({ extra_body: extra }: Body, rest: RestField[]): void {
  if (!isRecord(extra)) return;
  const { google, ...others } = extra;
  noteUnknown(others, NO_MEMBERS, 'extra_body', rest);
  if (!isRecord(google)) noteOdd(extra, 'google', isRecord, 'extra_body', rest);
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

/** Notes the older of two names of one feature, instead of dropping it silently; the newer one counts. */
function noteSecond(body: Body, second: string, first: string, rest: RestField[]): void {
  const value = body[second];
  if (value === undefined || value === null || body[first] === undefined || body[first] === null) return;
  if (value === body[first]) return;
  rest.push({ path: second, value, verdict: 'dropped', why: `${first} already specifies it` });
}

function stopOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Numbers by token id; the schema has already checked them. */
function logitBiasOf(value: unknown): Readonly<Record<string, number>> | null {
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
