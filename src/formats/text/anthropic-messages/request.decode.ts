import type { FieldNames, RestField } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest, type ResponseFormat } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { numberOrNull, textOrNull, textsOf } from '../../shared/json/json-values.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { InboundCall, ParsedRequest } from '../client-request.ts';
import { NOT_AT_END, withMarkAtEnd } from '../shared/cache-marks.ts';
import { noteUnknown } from '../shared/rest.ts';
import { fields, OWN_FIELDS } from './fields.ts';
import { BlockDecoder, CACHE_MEMBERS, cacheMark } from './messages.decode.ts';
import { decodeReasoning } from './reasoning.decode.ts';
import { FORMAT, validateCount, validateMessages } from './schema.ts';
import { decodeToolChoice, decodeTools } from './tools.decode.ts';

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
    'session_id',
  ],
  ...Object.keys(OWN_FIELDS),
]);

const OWN_MEMBERS = Object.entries(OWN_FIELDS);
const METADATA_MEMBERS: ReadonlySet<string> = new Set(['user_id']);

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
  const metadata = objectOf(body.metadata);
  noteUnknown(metadata, METADATA_MEMBERS, 'metadata', rest);
  return {
    ...emptyRequest(FORMAT, namesIn(body)),
    messages,
    tools: decodeTools(body.tools, rest),
    ...decodeToolChoice(objectOf(body.tool_choice), rest),
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
  const { effort, format } = objectOf(body.output_config);
  const { budget_tokens: budget, display } = objectOf(body.thinking);
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

/** Decodes the output format; `output_format` is the name that the beta used ("Structured outputs"). */
function decodeResponseFormat(body: Wire, rest: RestField[]): ResponseFormat | null {
  const inConfig = objectOf(body.output_config).format;
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
