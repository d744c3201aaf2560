import type { FieldNames } from '../../../domain/exchange/loss.ts';
import {
  EFFORTS,
  type ExchangeRequest,
  emptyRequest,
  type ReasoningOptions,
  type ResponseFormat,
  type RestField,
} from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { InboundCall, ParsedRequest } from '../client-request.ts';
import { addRest, noteUnknown } from '../shared/rest.ts';
import { isUsageOption } from '../shared/usage-cost.ts';
import { fields, NAMES, REASONS } from './fields.ts';
import { decodeInput } from './messages.decode.ts';
import { FORMAT, INPUT, validateResponsesRequest } from './schema.ts';
import { decodeAdditionalTools, decodeToolChoice, decodeTools } from './tools.ts';

type Json = Readonly<Record<string, unknown>>;

export const GOVERNED = new GovernedNames(fields);

/** Parses and validates a request of any of the endpoints against the contract's table (POST /v1/responses). */
export function parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure {
  const parsed = parseBody(source, '`model` and `input`', GOVERNED);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const counts = call.purpose === 'count-tokens';
  const violation = validateResponsesRequest(body);
  if (violation) return violation;
  // The model's input may also be stored at the provider: an earlier response, a conversation, a stored prompt.
  const { input, previous_response_id, conversation, prompt } = body;
  const sources = [input, previous_response_id, conversation, prompt];
  // Instructions and tools may be counted without any input.
  if (counts) sources.push(body.instructions, body.tools);
  if (sources.every((value) => value === undefined || value === null)) {
    return new Failure('missing_required_parameter', {
      message: `input is required and must be ${INPUT}`,
      param: 'input',
    });
  }
  return {
    call,
    model: String(body.model),
    stream: call.purpose === 'generate' && body.stream === true,
    // The final event always has the usage.
    wantsStreamUsage: true,
    ...parsed,
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'max_output_tokens', 'temperature', 'top_p', 'tools', 'tool_choice', 'stream'],
  ...['stream_options', 'previous_response_id', 'store', 'metadata', 'text', 'parallel_tool_calls', 'reasoning'],
  ...['include', 'top_logprobs', 'truncation', 'background', 'max_tool_calls', 'user', 'safety_identifier'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'service_tier', 'conversation', 'prompt'],
  ...['context_management', 'moderation', 'frequency_penalty', 'presence_penalty', 'session_id', 'models', 'route'],
]);
/** `usage` as OpenRouter's clients send it is served by the gateway; any other value is unknown. */
const KNOWN_WITH_USAGE: ReadonlySet<string> = new Set([...KNOWN, 'usage']);

/** Members that as a whole have no canonical place, with the same reasons as in the table of fields. */
const STAYING = {
  conversation: REASONS.stored,
  prompt: REASONS.stored,
  context_management: REASONS.compaction,
  moderation: REASONS.moderation,
  max_tool_calls: REASONS.toolLimit,
  prompt_cache_retention: REASONS.ownCache,
  prompt_cache_options: REASONS.ownCache,
} as const;

/**
 * Returns a client's request in the canonical form. Members that have no place there go into `rest`, with the client's own path.
 */
export function decodeRequest(parsed: ParsedRequest): ExchangeRequest | Failure {
  return atOnce(decodeSteps(parsed));
}

export function* decodeSteps({ body }: ParsedRequest): Steps<ExchangeRequest | Failure> {
  if (typeof body.previous_response_id === 'string') return unresolvedResponse(body.previous_response_id);
  const rest: RestField[] = [];
  const tools = [...decodeTools(body.tools, 'tools', rest), ...decodeAdditionalTools(body.input)];
  const input = yield* decodeInput(body.input, tools, rest);
  if (input instanceof Failure) return input;
  const system = typeof body.instructions === 'string' ? [systemMessage(body.instructions)] : [];
  for (const [key, reason] of Object.entries(STAYING)) addRest(rest, key, body[key], reason);
  if (body.background === true) addRest(rest, 'background', true, REASONS.background);
  if (body.truncation === 'auto') addRest(rest, 'truncation', 'auto', REASONS.truncation);
  if (isRecord(body.stream_options)) {
    if (body.stream_options.include_obfuscation === true) {
      addRest(rest, 'stream_options.include_obfuscation', true, REASONS.obfuscation);
    }
    noteUnknown(body.stream_options, new Set(['include_obfuscation']), 'stream_options', rest);
  }
  const user = decodeUser(body, rest);
  const names = namesIn(body, user.names);
  const request: ExchangeRequest = {
    ...emptyRequest(FORMAT, names),
    messages: [...system, ...input],
    tools,
    toolChoice: decodeToolChoice(body.tool_choice, rest),
    parallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : null,
    maxOutputTokens: numberOrNull(body.max_output_tokens),
    temperature: numberOrNull(body.temperature),
    topP: numberOrNull(body.top_p),
    frequencyPenalty: numberOrNull(body.frequency_penalty),
    presencePenalty: numberOrNull(body.presence_penalty),
    logprobs: decodeLogprobs(body, rest),
    reasoning: decodeReasoning(body.reasoning, rest),
    ...decodeText(body.text, rest),
    user: user.user,
    metadata: isRecord(body.metadata) ? body.metadata : null,
    serviceTier: textOrNull(body.service_tier),
    cacheKey: textOrNull(body.prompt_cache_key),
    rest,
  };
  noteUnknown(body, isUsageOption(body.usage) ? KNOWN_WITH_USAGE : KNOWN, '', rest);
  return request;
}

/**
 * Returns the failure for an id that is still there after the engine has inserted the earlier turns, and so could not be found.
 */
function unresolvedResponse(id: string): Failure {
  return new Failure('invalid_value', {
    message: `previous_response_id names a response that the gateway does not have: ${id.slice(0, 80)}. Send the earlier items in input.`,
    param: 'previous_response_id',
  });
}

function systemMessage(text: string) {
  return { role: 'system', parts: [{ type: 'text', text, path: 'instructions' }], path: 'instructions' } as const;
}

/**
 * Returns the names that this client used: log probabilities may be requested without a number, and summaries under their older
 * name.
 */
function namesIn({ top_logprobs: top, include, reasoning }: Json, names: FieldNames): FieldNames {
  const index = (top ?? null) === null && Array.isArray(include) ? include.indexOf(LOGPROBS) : -1;
  const isOlder = isRecord(reasoning) && (reasoning.summary ?? null) === null && 'generate_summary' in reasoning;
  if (index < 0 && !isOlder) return names;
  return {
    ...names,
    ...(index < 0 ? {} : { logprobs: `include[${index}]` }),
    ...(isOlder ? { 'reasoning-summary': 'reasoning.generate_summary' } : {}),
  };
}

function decodeUser(body: Json, rest: RestField[]): { user: string | null; names: FieldNames } {
  const user = textOrNull(body.user);
  const identifier = textOrNull(body.safety_identifier);
  if (user === null) return { user: identifier, names: { ...NAMES, user: 'safety_identifier' } };
  addRest(rest, 'safety_identifier', identifier, REASONS.identifier);
  return { user, names: NAMES };
}

// ---- output options

function decodeText(
  value: unknown,
  rest: RestField[],
): { responseFormat: ResponseFormat | null; verbosity: string | null } {
  if (!isRecord(value)) return { responseFormat: null, verbosity: null };
  noteUnknown(value, new Set(['format', 'verbosity']), 'text', rest);
  const verbosity = textOrNull(value.verbosity);
  return { responseFormat: isRecord(value.format) ? decodeFormat(value.format, rest) : null, verbosity };
}

const FORMAT_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'schema', 'strict']);

const TYPE_ALONE: ReadonlySet<string> = new Set(['type']);

function decodeFormat(format: Json, rest: RestField[]): ResponseFormat {
  noteUnknown(format, format.type === 'json_schema' ? FORMAT_MEMBERS : TYPE_ALONE, 'text.format', rest);
  if (format.type === 'json_object') return { type: 'json' };
  if (format.type !== 'json_schema') return { type: 'text' };
  return {
    type: 'json-schema',
    schema: isRecord(format.schema) ? exactOf(format.schema) : {},
    name: textOrNull(format.name),
    description: textOrNull(format.description),
    strict: typeof format.strict === 'boolean' ? format.strict : null,
  };
}

const REASONING_MEMBERS: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary', 'mode', 'context']);

function decodeReasoning(value: unknown, rest: RestField[]): ReasoningOptions | null {
  if (!isRecord(value)) return null;
  noteUnknown(value, REASONING_MEMBERS, 'reasoning', rest);
  addRest(rest, 'reasoning.mode', value.mode, REASONS.reasoningMode);
  addRest(rest, 'reasoning.context', value.context, REASONS.reasoningMode);
  const effort = EFFORTS.find((known) => known === value.effort) ?? null;
  const wanted = value.summary ?? value.generate_summary;
  const summary = (['auto', 'concise', 'detailed', 'none'] as const).find((known) => known === wanted) ?? null;
  if (effort === null && summary === null) return null;
  return { enabled: null, effort, budgetTokens: null, adaptive: false, summary };
}

const LOGPROBS = 'message.output_text.logprobs';
const ENCRYPTED = 'reasoning.encrypted_content';

function decodeLogprobs(body: Json, rest: RestField[]): { readonly top: number } | null {
  const include: readonly unknown[] = Array.isArray(body.include) ? body.include : [];
  include.forEach((name, index) => {
    // Encrypted reasoning is always requested, so this value needs no note.
    if (name !== LOGPROBS && name !== ENCRYPTED) addRest(rest, `include[${index}]`, name, REASONS.include);
  });
  const top = numberOrNull(body.top_logprobs) ?? 0;
  return top > 0 || include.includes(LOGPROBS) ? { top } : null;
}
