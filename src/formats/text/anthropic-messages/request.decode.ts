import type { FieldNames, RestField } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import {
  EFFORTS,
  type ExchangeRequest,
  emptyRequest,
  type ReasoningOptions,
  type ResponseFormat,
  type Tool,
  type ToolChoice,
} from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { InboundCall, ParsedRequest } from '../../format.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import { NOT_AT_END, withMarkAtEnd } from '../shared/mark-at-end.ts';
import { noteUnknown } from '../shared/rest.ts';
import { fields, OWN_FIELDS, OWN_TOOL_FIELDS } from './fields.ts';
import { BlockDecoder, CACHE_MEMBERS, cacheMark } from './messages.decode.ts';
import { FORMAT, validateCount, validateMessages } from './schema.ts';

type Wire = Readonly<Record<string, unknown>>;

export const GOVERNED = new GovernedNames(fields);

/** Parses and validates a request of either endpoint. */
export function parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure {
  const counts = call.purpose === 'count-tokens';
  const needed = counts ? '`model` and `messages`' : '`model`, `max_tokens` and `messages`';
  const parsed = parseBody(source, needed, GOVERNED);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const violation = counts ? validateCount(body) : validateMessages(body);
  if (violation) return violation;
  return {
    call,
    model: String(body.model),
    stream: !counts && body.stream === true,
    // Every stream of this format reports usage.
    wantsStreamUsage: true,
    ...parsed,
  };
}

/** This format's names for the features with a separate field. */
const NAMES: FieldNames = {
  'max-output-tokens': 'max_tokens',
  temperature: 'temperature',
  'top-p': 'top_p',
  'top-k': 'top_k',
  stop: 'stop_sequences',
  'json-schema': 'output_config.format',
  'reasoning-effort': 'output_config.effort',
  'reasoning-budget': 'thinking.budget_tokens',
  'reasoning-summary': 'thinking.display',
  'system-prompt': 'system',
  'function-tools': 'tools',
  'tool-choice': 'tool_choice',
  'tool-choice-required': 'tool_choice',
  'tool-choice-named': 'tool_choice',
  'parallel-tool-calls': 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
  'service-tier': 'service_tier',
};

const TOP_MEMBERS: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences'],
  ...[
    'tools',
    'tool_choice',
    'thinking',
    'output_config',
    'output_format',
    'metadata',
    'service_tier',
    'cache_control',
  ],
  ...Object.keys(OWN_FIELDS),
]);

const OWN_MEMBERS = Object.entries(OWN_FIELDS);
const METADATA_MEMBERS: ReadonlySet<string> = new Set(['user_id']);
const OUTPUT_MEMBERS: ReadonlySet<string> = new Set(['effort', 'format']);

/** Returns a validated request in the canonical form. Members without a place there are in `rest`, by their path. */
export function decodeRequest(parsed: ParsedRequest): ExchangeRequest {
  return atOnce(decodeSteps(parsed));
}

export function* decodeSteps({ body }: ParsedRequest): Steps<ExchangeRequest> {
  const rest: RestField[] = [];
  for (const [path, kept] of OWN_MEMBERS) {
    const value = body[path];
    if (value !== null && value !== undefined) rest.push({ path, value, ...kept });
  }
  noteUnknown(body, TOP_MEMBERS, '', rest);
  const blocks = new BlockDecoder(rest);
  const decoded = [...blocks.system(body.system), ...(yield* blocks.messages(body.messages))];
  const messages = withOwnMark(decoded, body.cache_control, rest);
  const metadata = recordIn(body.metadata);
  noteUnknown(metadata, METADATA_MEMBERS, 'metadata', rest);
  return {
    ...emptyRequest(FORMAT, namesIn(body)),
    messages,
    tools: decodeTools(body.tools, rest),
    ...decodeToolChoice(recordIn(body.tool_choice), rest),
    maxOutputTokens: numberOrNull(body.max_tokens),
    temperature: numberOrNull(body.temperature),
    topP: numberOrNull(body.top_p),
    topK: numberOrNull(body.top_k),
    stop: textsOf(body.stop_sequences) ?? [],
    reasoning: decodeReasoning(body, rest),
    responseFormat: decodeResponseFormat(body, rest),
    user: textOrNull(metadata.user_id),
    serviceTier: textOrNull(body.service_tier),
    rest,
  };
}

/**
 * Applies the `cache_control` of a whole request: a mark after its last block that can have one ("Prompt caching", automatic
 * caching).
 */
function withOwnMark(messages: readonly Message[], control: unknown, rest: RestField[]): readonly Message[] {
  if (!isRecord(control)) return messages;
  // With other members it is more than a mark, and only Anthropic itself knows its meaning.
  const isMark = Object.keys(control).every((name) => CACHE_MEMBERS.has(name));
  const marked = isMark ? withMarkAtEnd(messages, { ...cacheMark(control), path: 'cache_control' }) : null;
  if (marked !== null) return marked;
  const why = isMark ? NOT_AT_END : 'it has unknown fields';
  rest.push({ path: 'cache_control', value: control, verdict: 'dropped', why });
  return messages;
}

/**
 * Returns the names that this client used: the beta had the output format in another member, and not every form of thinking has
 * an amount.
 */
function namesIn(body: Wire): FieldNames {
  // The usual case: a request without thinking and without an output format.
  if (body.thinking === undefined && body.output_config === undefined && body.output_format === undefined) {
    return NAMES_UNSAID;
  }
  return namesSaid(body);
}

function namesSaid(body: Wire): FieldNames {
  const { effort, format } = recordIn(body.output_config);
  const { budget_tokens: budget, display } = recordIn(body.thinking);
  const measure = budget === undefined ? 'thinking.type' : 'thinking.budget_tokens';
  return {
    ...NAMES,
    ...(body.output_format === undefined || isRecord(format) ? {} : { 'json-schema': 'output_format' }),
    ...(effort === undefined && body.thinking !== undefined ? { 'reasoning-effort': measure } : {}),
    ...(body.thinking === undefined ? { 'reasoning-budget': 'output_config.effort' } : { 'reasoning-budget': measure }),
    ...(display === undefined ? { 'reasoning-summary': 'thinking' } : {}),
  };
}

const NAMES_UNSAID = namesSaid({});

// ---- tools

const CUSTOM_TOOL_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'],
  ...Object.keys(OWN_TOOL_FIELDS),
]);

const WEB_SEARCH_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'allowed_domains', 'blocked_domains', 'max_uses', 'user_location', 'cache_control'],
  ...Object.keys(OWN_TOOL_FIELDS),
]);

const OWN_TOOL_MEMBERS = Object.entries(OWN_TOOL_FIELDS);

function noteOwnToolMembers(wire: Wire, known: ReadonlySet<string>, path: string, rest: RestField[]): void {
  for (const [name, kept] of OWN_TOOL_MEMBERS) {
    const value = wire[name];
    if (value !== null && value !== undefined) rest.push({ path: `${path}.${name}`, value, ...kept });
  }
  noteUnknown(wire, known, path, rest);
}

function decodeTools(value: unknown, rest: RestField[]): Tool[] {
  if (!Array.isArray(value)) return [];
  return value.map((tool: unknown, index) => decodeTool(recordIn(tool), `tools[${index}]`, rest));
}

const SEARCH_MARK = 'no other provider caches the prompt up to its search';

function decodeTool(wire: Wire, path: string, rest: RestField[]): Tool {
  const type = textOrNull(wire.type);
  if (type !== null && type !== 'custom') {
    const raw = { format: FORMAT, value: wire };
    if (!type.startsWith('web_search_')) return { type: 'hosted', name: type, raw, path };
    noteOwnToolMembers(wire, WEB_SEARCH_MEMBERS, path, rest);
    if (isRecord(wire.cache_control)) {
      rest.push({ path: `${path}.cache_control`, value: wire.cache_control, verdict: 'dropped', why: SEARCH_MARK });
    }
    return decodeWebSearch(wire, path);
  }
  noteOwnToolMembers(wire, CUSTOM_TOOL_MEMBERS, path, rest);
  return {
    type: 'function',
    name: String(wire.name),
    description: textOrNull(wire.description),
    parameters: isRecord(wire.input_schema) ? exactOf(wire.input_schema) : null,
    strict: typeof wire.strict === 'boolean' ? wire.strict : null,
    path,
    ...(isRecord(wire.cache_control) ? { cache: cacheMark(wire.cache_control) } : {}),
  };
}

function decodeWebSearch(wire: Wire, path: string): Tool {
  const location = isRecord(wire.user_location) ? wire.user_location : null;
  return {
    type: 'web-search',
    allowedDomains: textsOf(wire.allowed_domains),
    blockedDomains: textsOf(wire.blocked_domains),
    maxUses: numberOrNull(wire.max_uses),
    userLocation: location && {
      ...(typeof location.city === 'string' ? { city: location.city } : {}),
      ...(typeof location.region === 'string' ? { region: location.region } : {}),
      ...(typeof location.country === 'string' ? { country: location.country } : {}),
      ...(typeof location.timezone === 'string' ? { timezone: location.timezone } : {}),
    },
    contextSize: null,
    raw: { format: FORMAT, value: wire },
    path,
  };
}

const CHOICE_MEMBERS = new Set(['type', 'name', 'disable_parallel_tool_use']);

function decodeToolChoice(wire: Wire, rest: RestField[]): Pick<ExchangeRequest, 'toolChoice' | 'parallelToolCalls'> {
  noteUnknown(wire, CHOICE_MEMBERS, 'tool_choice', rest);
  const { disable_parallel_tool_use: isDisabled } = wire;
  return { toolChoice: choiceOf(wire), parallelToolCalls: typeof isDisabled === 'boolean' ? !isDisabled : null };
}

function choiceOf({ type, name }: Wire): ToolChoice | null {
  if (type === 'tool') return { mode: 'tool', name: String(name) };
  if (type === 'any') return { mode: 'required' };
  return type === 'auto' || type === 'none' ? { mode: type } : null;
}

// ---- thinking and output

const THINKING_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  enabled: new Set(['type', 'budget_tokens', 'display']),
  adaptive: new Set(['type', 'display']),
  disabled: new Set(['type']),
};

const SUMMARIES: Readonly<Record<string, ReasoningOptions['summary']>> = { summarized: 'auto', omitted: 'none' };

function decodeReasoning(body: Wire, rest: RestField[]): ReasoningOptions | null {
  const thinking = decodeThinking(recordIn(body.thinking), rest);
  const config = recordIn(body.output_config);
  noteUnknown(config, OUTPUT_MEMBERS, 'output_config', rest);
  const effort = EFFORTS.find((known) => known === config.effort) ?? null;
  if (effort === null && typeof config.effort === 'string') {
    const why = 'the effort is unknown';
    rest.push({ path: 'output_config.effort', value: config.effort, verdict: 'dropped', why });
  }
  return thinking === null && effort === null ? null : { ...(thinking ?? UNSAID), effort };
}

const UNSAID: ReasoningOptions = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };

function decodeThinking(wire: Wire, rest: RestField[]): ReasoningOptions | null {
  const type = textOrNull(wire.type);
  if (type === null) return null;
  const members = entryOf(THINKING_MEMBERS, type);
  if (members === undefined) {
    rest.push({
      path: 'thinking',
      value: wire,
      verdict: 'dropped',
      why: 'the type of thinking is unknown',
    });
    return null;
  }
  noteUnknown(wire, members, 'thinking', rest);
  const display = textOrNull(wire.display);
  const summary = display === null ? null : (entryOf(SUMMARIES, display) ?? null);
  if (display !== null && summary === null && members.has('display')) {
    const why = 'the thinking display mode is unknown';
    rest.push({ path: 'thinking.display', value: display, verdict: 'dropped', why });
  }
  return {
    enabled: type !== 'disabled',
    effort: null,
    budgetTokens: type === 'enabled' ? numberOrNull(wire.budget_tokens) : null,
    adaptive: type === 'adaptive',
    summary,
  };
}

/** Decodes the output format; `output_format` is the name that the beta used ("Structured outputs"). */
function decodeResponseFormat(body: Wire, rest: RestField[]): ResponseFormat | null {
  const inConfig = recordIn(body.output_config).format;
  const path = isRecord(inConfig) ? 'output_config.format' : 'output_format';
  const wire = isRecord(inConfig) ? inConfig : body.output_format;
  if (!isRecord(wire)) return null;
  if (wire.type !== 'json_schema' || !isRecord(wire.schema)) {
    rest.push({ path, value: wire, verdict: 'refused', why: 'the output format is unknown' });
    return null;
  }
  noteUnknown(wire, new Set(['type', 'schema']), path, rest);
  return { type: 'json-schema', schema: exactOf(wire.schema), name: null, description: null, strict: null };
}

// ----

function recordIn(value: unknown): Wire {
  return isRecord(value) ? value : {};
}

function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : null;
}
