import type { FieldNames } from '../../../domain/exchange/loss.ts';
import {
  EFFORTS,
  type ExchangeRequest,
  emptyRequest,
  type ReasoningOptions,
  type ResponseFormat,
  type RestField,
  type Tool,
  type ToolChoice,
  type WebSearchTool,
} from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { InboundCall, ParsedRequest } from '../../format.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import { noteUnknown } from '../shared/rest.ts';
import { nameInNamespace } from './content.ts';
import { fields, NAMES, REASONS } from './fields.ts';
import { decodeInput } from './messages.decode.ts';
import { FORMAT, INPUT, validateResponsesRequest } from './schema.ts';

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
  ...['context_management', 'moderation', 'frequency_penalty', 'presence_penalty'],
]);

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
  noteUnknown(body, KNOWN, '', rest);
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

// ---- tools

const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const CUSTOM_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format']);
const NAMESPACE_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'tools']);
const SEARCH_MEMBERS: ReadonlySet<string> = new Set(['type', 'filters', 'user_location', 'search_context_size']);
const OWN_TOOL_MEMBERS = ['defer_loading', 'allowed_callers', 'output_schema'] as const;
const SEARCH_TYPE = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

function decodeTools(value: unknown, path: string, rest: RestField[]): Tool[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((tool, index) => {
    const at = `${path}[${index}]`;
    return decodeNamespace(tool, at, rest) ?? decodeTool(tool, at, rest);
  });
}

/**
 * Tools that are added during the conversation. Their item goes back as a whole, so no member of it has to be noted in
 * `rest`.
 */
function decodeAdditionalTools(input: unknown): Tool[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  return items.flatMap((item, index) =>
    isRecord(item) && item.type === 'additional_tools' ? decodeTools(item.tools, `input[${index}].tools`, []) : [],
  );
}

/** Returns a group of the client's own tools (Codex has one group for each of its MCP servers); `null` for any other tool. */
function decodeNamespace(tool: Json, path: string, rest: RestField[]): Tool[] | null {
  if (tool.type !== 'namespace' || typeof tool.name !== 'string' || !Array.isArray(tool.tools)) return null;
  const { name } = tool;
  noteUnknown(tool, NAMESPACE_MEMBERS, path, rest);
  const description = textOrNull(tool.description);
  return decodeTools(tool.tools, `${path}.tools`, rest).map((member): Tool => {
    if (member.type !== 'function' && member.type !== 'custom') return member;
    const namespace = { name, member: member.name, description, path };
    return { ...member, name: nameInNamespace(name, member.name), namespace };
  });
}

function decodeTool(tool: Json, path: string, rest: RestField[]): Tool {
  const description = textOrNull(tool.description);
  if (tool.type === 'function') {
    const own: RestField[] = [];
    noteMembers(tool, FUNCTION_MEMBERS, path, own);
    const parameters = isRecord(tool.parameters) ? exactOf(tool.parameters) : null;
    const strict = typeof tool.strict === 'boolean' ? tool.strict : null;
    const name = String(tool.name);
    return { type: 'function', name, description, parameters, strict, path, ...(own.length > 0 ? { rest: own } : {}) };
  }
  if (tool.type === 'custom') {
    noteMembers(tool, CUSTOM_MEMBERS, path, rest);
    return { type: 'custom', name: String(tool.name), description, format: nestedGrammar(tool.format), path };
  }
  const type = String(tool.type);
  const raw = { format: FORMAT, value: exactOf(tool) };
  if (!SEARCH_TYPE.test(type)) return { type: 'hosted', name: type, raw, path };
  noteMembers(tool, SEARCH_MEMBERS, path, rest);
  return decodeSearch(tool, path, raw);
}

/** Moves a grammar's members one level deeper, as in chat completions and in the canonical tool. */
function nestedGrammar(format: unknown): unknown {
  if (!isRecord(format) || format.type !== 'grammar') return format ?? null;
  const { type, ...grammar } = format;
  return { type, grammar };
}

function noteMembers(tool: Json, known: ReadonlySet<string>, path: string, rest: RestField[]): void {
  for (const key of OWN_TOOL_MEMBERS) addRest(rest, `${path}.${key}`, tool[key], REASONS.ownTool);
  noteUnknown(tool, new Set([...known, ...OWN_TOOL_MEMBERS]), path, rest);
}

function decodeSearch(tool: Json, path: string, raw: WebSearchTool['raw']): WebSearchTool {
  const domains = isRecord(tool.filters) ? tool.filters.allowed_domains : null;
  const location = isRecord(tool.user_location) ? tool.user_location : null;
  const place = ['city', 'region', 'country', 'timezone'].flatMap((key) => {
    const value = location?.[key];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  return {
    type: 'web-search',
    allowedDomains: Array.isArray(domains) ? domains.filter((domain) => typeof domain === 'string') : null,
    blockedDomains: null,
    maxUses: null,
    userLocation: location === null ? null : Object.fromEntries(place),
    contextSize: textOrNull(tool.search_context_size),
    raw,
    path,
  };
}

const CHOICE_MEMBERS: ReadonlySet<string> = new Set(['type', 'name']);

function decodeToolChoice(value: unknown, rest: RestField[]): ToolChoice | null {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value };
  if (!isRecord(value)) return null;
  if (value.type === 'function' || value.type === 'custom') {
    if (typeof value.name === 'string') {
      noteUnknown(value, CHOICE_MEMBERS, 'tool_choice', rest);
      return { mode: 'tool', name: value.name, ...(value.type === 'custom' ? { custom: true } : {}) };
    }
  }
  if (value.type === 'allowed_tools' && Array.isArray(value.tools)) {
    // `none` comes from Open Responses. OpenAI itself has `auto` and `required`.
    if (value.mode === 'none') return { mode: 'none' };
    // No tool is allowed. This is written as `none`, because other formats read an empty list as no restriction.
    if (value.tools.length === 0 && value.mode !== 'required') return { mode: 'none' };
    if (value.tools.length === 0) {
      const why = 'a tool call is required, but no tool is allowed';
      rest.push({ path: 'tool_choice', value, verdict: 'refused', why });
      return null;
    }
    const names = value.tools.flatMap((tool) => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []));
    // Only functions are identified by name alone. A list with other tools goes back to its own format unchanged.
    const isOfFunctions = value.tools.every((tool) => isRecord(tool) && tool.type === 'function');
    if (isOfFunctions && names.length === value.tools.length) {
      return { mode: 'allowed', names, required: value.mode === 'required' };
    }
  }
  addRest(rest, 'tool_choice', value, REASONS.toolChoice);
  return null;
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

type Reason = Pick<RestField, 'verdict' | 'why'>;

function addRest(rest: RestField[], path: string, value: unknown, { verdict, why }: Reason): void {
  if (value !== undefined && value !== null) rest.push({ path, value, verdict, why });
}
