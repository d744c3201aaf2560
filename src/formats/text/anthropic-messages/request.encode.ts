import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest, Tool } from '../../../domain/exchange/request.ts';
import { type JsonText, joined, listed, Unwritten } from '../../shared/json/json-writer.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';
import { adaptSchema } from '../shared/adapted-schema.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { countMarks } from '../shared/cache-marks.ts';
import { profileOf } from '../shared/claude-profile.ts';
import { placedTier } from '../shared/service-tier.ts';
import { inTurnOrder } from '../shared/turn-order.ts';
import { CacheMarks, type Encoding, fieldOf, KeptMembers } from './encoding.ts';
import { fields } from './fields.ts';
import { type Conversation, encodeMessages, systemJson, turnJson } from './messages.encode.ts';
import { addToOutput, encodeReasoning } from './reasoning.encode.ts';
import { FORMAT } from './schema.ts';
import { encodeTools } from './tools.encode.ts';

type Body = Record<string, unknown>;

/**
 * Encodes a request as the body of POST /v1/messages. It never fails: features that the format cannot express are in the
 * losses.
 */
export function encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  return atOnce(encodeSteps(request, target));
}

export function* encodeSteps(asked: ExchangeRequest, target: EncodeTarget): Steps<EncodedRequest> {
  const encoding = encodingOf(asked, target);
  yield;
  const { request, losses, own, kept } = encoding;
  const body: Body = { model: target.upstreamModel, max_tokens: maxTokens(encoding) };
  encodeTools(encoding, body);
  yield;
  const conversation = yield* encodeMessages(encoding);
  const thinks = encodeReasoning(encoding, body);
  encodeSampling(encoding, body, thinks);
  encodeOutput(encoding, body, conversation.system);
  encodeKnobs(encoding, body);
  if (own) kept.restore(body, '');
  else losses.noteRest(request.rest);
  if (target.stream) body.stream = true;
  const added = request.maxOutputTokens === null ? ADDED_WITH_BOUND : ADDED;
  applyQuirks(body, target.quirks, { names: request.names, losses, fields, added });
  return yield* finished(body, conversation, encoding);
}

/** Members that the gateway itself adds. */
const ADDED: ReadonlySet<string> = new Set(['stream']);
const ADDED_WITH_BOUND: ReadonlySet<string> = new Set([...ADDED, 'max_tokens']);

/** The members that the API counts, which make up the prompt ("Count tokens in a Message"). */
const COUNTED: ReadonlySet<string> = new Set([
  ...['model', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'cache_control'],
  ...['context_management', 'mcp_servers', 'speed'],
]);

/** Returns the same request as the body of POST /v1/messages/count_tokens. */
export function encodeCountRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const encoding = encodingOf(request, { ...target, stream: false });
  const body: Body = { model: target.upstreamModel, max_tokens: maxTokens(encoding) };
  encodeTools(encoding, body);
  const conversation = atOnce(encodeMessages(encoding));
  encodeReasoning(encoding, body);
  encodeOutput(encoding, body, conversation.system);
  if (encoding.own) encoding.kept.restore(body, '');
  for (const name of Object.keys(body)) if (!COUNTED.has(name)) delete body[name];
  return atOnce(finished(body, conversation, encoding));
}

function encodingOf(asked: ExchangeRequest, target: EncodeTarget): Encoding {
  const losses = new Losses(target.carries, asked.names);
  const own = asked.format === FORMAT;
  const profile = profileOf(ruleModelOf(target));
  const carried = carriedRequest(asked, losses, own);
  const messages = own ? carried.messages : inTurnOrder(carried.messages, profile.prefill, losses);
  const request = messages === carried.messages ? carried : { ...carried, messages };
  const marks = new CacheMarks(countMarks(request), own, losses);
  return { request, target, losses, own, profile, kept: new KeptMembers(request), marks };
}

function* finished(
  body: Body,
  { system, turns }: Conversation,
  { losses, own, request }: Encoding,
): Steps<EncodedRequest> {
  const written: JsonText[] = [];
  for (const turn of turns) {
    written.push(turnJson(turn, own));
    yield;
  }
  const messages = listed(written);
  const betas = own ? betasOf(body, messages, request) : [];
  const { tools, ...others } = body;
  return {
    body: joined(
      JSON.stringify(others).slice(0, -1),
      tools === undefined ? '' : joined(',"tools":', new Unwritten(tools)),
      systemJson(system, own),
      ',"messages":[',
      messages,
      ']}',
    ),
    value: body,
    ...(betas.length === 0 ? {} : { headers: { 'anthropic-beta': betas.join(',') } }),
    losses: losses.all,
  };
}

/** Returns the header values without which the API refuses the member of a beta ("Beta headers", and each feature's page). */
function betasOf(body: Body, messages: JsonText, { tools }: ExchangeRequest): string[] {
  const text = writtenOf([messages, ...tools.map(hostedToolJson)]);
  const betas: [boolean, string][] = [
    [text.includes('"type":"file","file_id"') || text.includes('"container_upload"'), 'files-api-2025-04-14'],
    [
      body.mcp_servers !== undefined,
      text.includes('"mcp_toolset"') ? 'mcp-client-2025-11-20' : 'mcp-client-2025-04-04',
    ],
    [body.context_management !== undefined, 'context-management-2025-06-27'],
    [JSON.stringify(body.context_management ?? null).includes('"compact_20260112"'), 'compact-2026-01-12'],
    [JSON.stringify(body.container ?? null).includes('"skills"'), 'skills-2025-10-02'],
    [body.speed === 'fast', 'fast-mode-2026-02-01'],
    [text.includes('"computer_20250124"'), 'computer-use-2025-01-24'],
    [text.includes('"computer_20251124"'), 'computer-use-2025-11-24'],
    [text.includes('"code_execution_20250522"'), 'code-execution-2025-05-22'],
    [text.includes('"code_execution_20250825"'), 'code-execution-2025-08-25'],
  ];
  return betas.flatMap(([isNeeded, beta]) => (isNeeded ? [beta] : []));
}

/** Tools that the client declares itself need no beta, and their JSON may be long, so they are skipped. */
function hostedToolJson(tool: Tool): string {
  return tool.type === 'function' ? '' : JSON.stringify(tool);
}

/**
 * Returns the parts of the JSON text to search. Members that need a beta never occur in text blocks, so blocks with long texts
 * are skipped.
 */
function writtenOf(json: JsonText): string {
  if (typeof json === 'string') return json;
  return json instanceof Unwritten ? '' : json.map(writtenOf).join('');
}

// ---- the rest of the body

function maxTokens(encoding: Encoding): number {
  const { request, own, profile, losses } = encoding;
  const wanted = request.maxOutputTokens;
  if (own && wanted !== null) return wanted;
  if (wanted === null) return profile.maxOutputTokens;
  if (wanted <= profile.maxOutputTokens || !isLimited(encoding)) return wanted;
  const why = `the model writes at most ${profile.maxOutputTokens} tokens`;
  losses.note({ field: fieldOf(encoding, 'max-output-tokens'), verdict: 'approximated', why });
  return profile.maxOutputTokens;
}

/** Returns whether the model's output limit is known, which is so only for Claude. */
function isLimited({ target }: Encoding): boolean {
  return ruleModelOf(target).toLowerCase().includes('claude');
}

function encodeSampling(encoding: Encoding, body: Body, thinks: boolean): void {
  const { request, own, losses, profile } = encoding;
  const { temperature, topP, topK } = request;
  if (own) {
    if (temperature !== null) body.temperature = temperature;
    if (topP !== null) body.top_p = topP;
    if (topK !== null) body.top_k = topK;
    return;
  }
  const drop = (feature: 'temperature' | 'top-p' | 'top-k', why: string) =>
    losses.note({ field: fieldOf(encoding, feature), verdict: 'dropped', why });
  const refusal =
    profile.sampling === 'none'
      ? 'this model does not accept sampling parameters'
      : 'Claude accepts it only without thinking';
  const refuses = profile.sampling === 'none' || thinks;
  // 1 is the default in both formats, so leaving it out means the same.
  if (temperature !== null && temperature !== 1) {
    if (refuses) drop('temperature', refusal);
    else body.temperature = clampedTemperature(temperature, encoding);
  }
  if (topP !== null && topP !== 1) {
    if (profile.sampling === 'none' || (thinks && topP < LEAST_THINKING_TOP_P)) drop('top-p', refusal);
    else if (profile.sampling === 'one' && body.temperature !== undefined) {
      drop('top-p', 'this model accepts temperature or top_p, not both');
    } else body.top_p = topP;
  }
  // In other formats 0 means that there is no such limit.
  if (topK !== null && topK > 0) {
    if (refuses) drop('top-k', refusal);
    else body.top_k = topK;
  }
}

/** "Extended thinking", feature compatibility: top_p from 0.95 to 1. */
const LEAST_THINKING_TOP_P = 0.95;

function clampedTemperature(temperature: number, encoding: Encoding): number {
  if (temperature <= 1) return temperature;
  const why = 'Anthropic’s highest temperature is 1';
  encoding.losses.note({ field: fieldOf(encoding, 'temperature'), verdict: 'approximated', why });
  return 1;
}

const JSON_ONLY = 'Answer with one valid JSON object and nothing else: no other text and no code fence.';

function encodeOutput(encoding: Encoding, body: Body, system: Conversation['system']): void {
  const { request, losses, own, profile } = encoding;
  const format = request.responseFormat;
  if (format === null || format.type === 'text') return;
  const instruct = (text: string) =>
    system.blocks.push({ json: JSON.stringify({ type: 'text', text }), plain: text, isResult: false });
  if (format.type === 'json') {
    instruct(JSON_ONLY);
    return;
  }
  if (!losses.isExact('json-schema')) {
    const described = format.description === null ? '' : ` ${format.description}`;
    instruct(`${JSON_ONLY} It must be valid against this JSON schema.${described}\n${JSON.stringify(format.schema)}`);
    return;
  }
  const field = fieldOf(encoding, 'json-schema');
  if (!own && !profile.structuredOutputs) {
    losses.note({ field, verdict: 'refused', why: 'this model does not support structured outputs' });
    return;
  }
  for (const member of ['name', 'description'] as const) {
    if (format[member] === null) continue;
    losses.note({
      field: `${field}.${member}`,
      verdict: 'dropped',
      why: 'structured outputs accept only a schema',
    });
  }
  const adapted = own ? { schema: format.schema, changed: false } : adaptSchema(format.schema);
  if (adapted.changed) {
    const why =
      'structured outputs allow no extra properties and no limits on numbers or lengths, so limits go in the description';
    losses.note({ field, verdict: 'approximated', why });
  }
  addToOutput(body, { format: { type: 'json_schema', schema: adapted.schema } });
}

const LONGEST_USER = 512;
// A number without separators is more likely a database id than a telephone number.
const PERSONAL = /^\S+@\S+\.\S+$|^\+[\d\s().-]{7,20}$|^\(?\d{2,5}\)?[\s.-]\d[\d\s.-]{4,15}$/;

/**
 * Returns whether the user may be named: the API refuses long ids and ids that reveal who the user is ("Create a Message",
 * metadata).
 */
function mayNameUser(user: string, encoding: Encoding): boolean {
  const why =
    user.length > LONGEST_USER
      ? `the Anthropic API accepts user ids of up to ${LONGEST_USER} characters`
      : PERSONAL.test(user)
        ? 'the Anthropic API does not accept an email address or telephone number as a user id'
        : null;
  if (why !== null) encoding.losses.note({ field: fieldOf(encoding, 'user'), verdict: 'dropped', why });
  return why === null;
}

/** OpenAI's tiers by Anthropic's names. Anthropic has no equivalent of the others. */
const TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  priority: 'auto',
  default: 'standard_only',
  standard_only: 'standard_only',
};

function encodeKnobs(encoding: Encoding, body: Body): void {
  const { request, losses, own } = encoding;
  const { stop, user } = request;
  if (stop.length > 0) {
    // The API refuses stop sequences that are only white space.
    const kept = own ? stop : stop.filter((sequence) => sequence.trim() !== '');
    if (kept.length < stop.length) {
      const why = 'the Anthropic API rejects stop sequences that are only whitespace';
      losses.note({ field: fieldOf(encoding, 'stop'), verdict: 'dropped', why });
    }
    if (kept.length > 0) body.stop_sequences = kept;
  }
  if (user !== null && (own || mayNameUser(user, encoding))) body.metadata = { user_id: user };
  const tier = placedTier(request, FORMAT, TIERS, 'Anthropic does not have this service tier', losses);
  if (tier !== null) body.service_tier = tier;
}
