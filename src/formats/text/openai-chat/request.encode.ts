import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { type Carries, FEATURES, type Feature, type FieldNames, Losses } from '../../../domain/exchange/loss.ts';
import { reasonsAt } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';
import { type Quirk, quirkOf, quirksOf } from '../quirk.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { withClosedSchemas } from '../shared/closed-schemas.ts';
import { withAnsweredCalls } from '../shared/paired-results.ts';
import { placedTier, tiersOf } from '../shared/service-tier.ts';
import { type Body, deleteForeignMembers, type EncodeContext, OwnMembers } from './encoding.ts';
import { fields } from './fields.ts';
import { MessagesEncoder } from './messages.encode.ts';
import { encodeReasoning, mustStopThinking, stopThinking } from './reasoning.encode.ts';
import { FORMAT } from './schema.ts';
import { encodeResponseFormat, encodeTools } from './tools.encode.ts';

/** OpenAI's limit for stop sequences. Other providers that document a limit allow more. */
const MAX_STOP = 4;
const TIERS = tiersOf('auto', 'default', 'flex', 'scale', 'priority', 'fast');

/**
 * Encodes a request as a chat body. The norm is what most providers accept: the output limit is `max_tokens` (a quirk
 * renames it to `max_completion_tokens` for OpenAI's and Azure's reasoning models), earlier reasoning goes back as
 * `reasoning_content`, and the effort is `reasoning_effort`.
 */
export function encodeRequest(request: ExchangeRequest, to: EncodeTarget): EncodedRequest {
  return atOnce(encodeSteps(request, to));
}

export function* encodeSteps(asked: ExchangeRequest, to: EncodeTarget): Steps<EncodedRequest> {
  const own = new OwnMembers(asked);
  const target = own.isOwn ? { ...to, carries: carriesOfOwn(to) } : to;
  const losses = new Losses(target.carries, asked.names);
  const carried = carriedRequest(asked, losses, own.isOwn);
  const request = withClosedSchemas(carried, target.quirks, losses, own.isOwn);
  const context: EncodeContext = { request, target, losses, own };
  const conversation = own.isOwn ? request.messages : withAnsweredCalls(request.messages, losses);
  const messages = yield* new MessagesEncoder(context).encode(conversation);
  const body: Body = { model: target.upstreamModel, messages: [] };
  encodeTools(body, context);
  encodeKnobs(body, context);
  const instruction =
    request.responseFormat === null ? null : encodeResponseFormat(request.responseFormat, body, context);
  if (instruction !== null) messages.splice(leadingSystem(messages), 0, { role: 'system', content: instruction });
  body.messages = inAcceptedOrder(messages, target.quirks, losses);
  if (request.reasoning !== null) encodeReasoning(request.reasoning, body, context);
  if (mustStopThinking(body, target.quirks)) stopThinking(body, context);
  restForTools(body, context);
  const added = target.stream ? addStream(body, own) : NOTHING_ADDED;
  own.into('', body);
  own.noteLeft(losses);
  applyQuirks(body, target.quirks, { names: request.names, losses, fields, added });
  const closed = quirkOf(target.quirks, 'closed');
  if (closed !== undefined) deleteForeignMembers(body, closed, losses);
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

/** Tells a model that refuses tools while it reasons not to reason, unless the request can go over another wire. */
function restForTools(body: Body, { request: { names }, target, losses }: EncodeContext): void {
  const quirk = quirkOf(target.quirks, 'tools-at-rest');
  if (quirk === undefined || body.tools === undefined || !reasonsAt(body.reasoning_effort, quirk.while)) return;
  const field = names['reasoning-effort'] ?? 'reasoning_effort';
  losses.note({ field, verdict: 'approximated', why: quirk.why, otherWire: true });
  body.reasoning_effort = 'none';
}

const NOTHING_ADDED: ReadonlySet<string> = new Set();
const STREAM: ReadonlySet<string> = new Set(['stream']);
const STREAM_WITH_OPTIONS: ReadonlySet<string> = new Set(['stream', 'stream_options']);

/** Asks for a stream with usage. Returns the names of the members that only the gateway writes. */
function addStream(body: Body, own: OwnMembers): ReadonlySet<string> {
  const options: Body = { include_usage: true };
  const added = own.has('stream_options') ? STREAM : STREAM_WITH_OPTIONS;
  own.into('stream_options', options);
  body.stream = true;
  body.stream_options = options;
  return added;
}

/** Features that only one provider can read, or only under its own name, whichever format the request came in. */
const NEVER_OWN: ReadonlySet<string> = new Set<Feature>(['reasoning-state', 'provider-file', 'unknown-blocks']);

/**
 * Returns the table for a client of this format, which uses the features of the provider that it writes for. All of them are
 * sent, as on the relay lane, except for those that the provider is known to lack.
 */
function carriesOfOwn({ carries, quirks }: EncodeTarget): Carries {
  const lacked = new Set(quirks.flatMap((quirk) => (quirk.kind === 'lacks' ? [quirk.feature] : [])));
  const entries = FEATURES.map((feature) => {
    const isKnown = lacked.has(feature) || NEVER_OWN.has(feature);
    return [feature, isKnown ? carries[feature] : 'exact'] as const;
  });
  // Every feature has an entry, because the entries were mapped from the list of all features.
  return Object.fromEntries(entries) as Carries;
}

function encodeKnobs(body: Body, context: EncodeContext): void {
  const { request, losses, own } = context;
  const knob = (member: string, value: unknown) => {
    if (value !== null) body[member] = value;
  };
  const names = own.isOwn ? request.names : NO_NAMES;
  knob(names['max-output-tokens'] ?? 'max_tokens', request.maxOutputTokens);
  knob('temperature', request.temperature);
  knob('top_p', request.topP);
  knob('top_k', request.topK);
  knob('frequency_penalty', request.frequencyPenalty);
  knob('presence_penalty', request.presencePenalty);
  knob('seed', request.seed);
  encodeStop(body, request, losses, own);
  knob('n', request.candidateCount);
  if (request.logprobs !== null) {
    body.logprobs = true;
    if (request.logprobs.top > 0) body.top_logprobs = request.logprobs.top;
  }
  knob('logit_bias', request.logitBias);
  knob('verbosity', request.verbosity);
  encodeModalities(body, context);
  knob(names.user ?? 'user', request.user);
  knob('prompt_cache_key', request.cacheKey);
  knob('metadata', request.metadata);
  const tier = placedTier(request, FORMAT, TIERS, 'providers of this format do not have this tier', losses);
  if (tier !== null) body.service_tier = tier;
}

const NO_NAMES: FieldNames = {};

const MODALITIES: ReadonlySet<string> = new Set(['text', 'audio']);
const USUAL_VOICE = 'alloy';

/**
 * Writes the modalities. OpenAI's models answer with text and audio. A provider that is marked as having more modalities also has
 * images.
 */
function encodeModalities(body: Body, context: EncodeContext): void {
  const { request, target, losses, own } = context;
  const { modalities, names } = request;
  if (modalities === null) return;
  const hasAll = target.quirks.some((quirk) => quirk.kind === 'has' && quirk.feature === 'output-modalities');
  if (!own.isOwn && !hasAll && modalities.some((name) => !MODALITIES.has(name))) {
    const why = 'the provider returns only text and audio';
    losses.note({ field: names['output-modalities'] ?? 'modalities', verdict: 'refused', why });
    return;
  }
  body.modalities = modalities;
  if (!own.isOwn && modalities.includes('audio')) addVoice(body, context);
}

/**
 * Adds a voice and a format, which OpenAI requires with audio, as it requires text beside it; only raw samples can be streamed. No other
 * client format names the voices of these models.
 */
function addVoice(body: Body, { request, target, losses }: EncodeContext): void {
  const { modalities } = request;
  if (modalities?.includes('text') === false) body.modalities = ['text', ...modalities];
  body.audio = { voice: USUAL_VOICE, format: target.stream ? 'pcm16' : 'wav' };
  const why = `the model requires a voice; it speaks as \`${USUAL_VOICE}\``;
  losses.note({ field: request.names['output-modalities'] ?? 'modalities', verdict: 'approximated', why });
}

function encodeStop(body: Body, { stop, names }: ExchangeRequest, losses: Losses, own: OwnMembers): void {
  if (stop.length === 0) return;
  body.stop = own.isOwn ? stop : stop.slice(0, MAX_STOP);
  if (own.isOwn || stop.length <= MAX_STOP) return;
  const why = `chat completions accept ${MAX_STOP} stop sequences; the first ones are sent`;
  losses.note({ field: names.stop ?? 'stop', verdict: 'approximated', why });
}

function leadingSystem(messages: readonly Body[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return first < 0 ? messages.length : first;
}

type Message = Record<string, unknown>;

/** Mistral's API refuses an assistant message without content, so this replaces an answer that was never given. */
const ACKNOWLEDGEMENT = 'I have the result.';

/**
 * Puts the messages of a chat body into an order that the provider accepts. Leading system messages become one where a later
 * system message is refused, because the templates that refuse it accept exactly one.
 */
function inAcceptedOrder(messages: readonly Message[], quirks: readonly Quirk[], losses: Losses): Message[] {
  const systemFirst = losses.isExact('system-prompt-midway') ? [...messages] : withOneSystem(messages);
  const rules = new Set(quirksOf(quirks, 'message-order').map(({ rule }) => rule));
  const alternating = rules.has('alternating') ? joined(systemFirst) : systemFirst;
  const answered = rules.has('answered-results') ? withAnsweredResults(alternating, losses) : alternating;
  const prefill = quirkOf(quirks, 'prefill');
  return prefill === undefined ? answered : withPrefill(answered, prefill.member);
}

function withPrefill(messages: readonly Message[], member: string): Message[] {
  const last = messages.at(-1);
  const isPrefill = last !== undefined && isPlainAnswer(last) && last[member] === undefined;
  return isPrefill ? [...messages.slice(0, -1), { ...last, [member]: true }] : [...messages];
}

function withOneSystem(messages: readonly Message[]): Message[] {
  const found = messages.findIndex((message) => !isInstruction(message));
  const count = found < 0 ? messages.length : found;
  return count < 2 ? [...messages] : [messages.slice(0, count).reduce(merged), ...messages.slice(count)];
}

/** Joins consecutive user messages, and consecutive assistant messages without calls. */
function joined(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last !== undefined && mayJoin(last, message)) out[out.length - 1] = merged(last, message);
    else out.push(message);
  }
  return out;
}

function mayJoin(last: Message, message: Message): boolean {
  return last.role === message.role && (last.role === 'user' || isPlainAnswer(last));
}

function isPlainAnswer({ role, tool_calls: calls }: Message): boolean {
  return role === 'assistant' && calls === undefined;
}

/** Adds a short assistant answer between a tool result and the next user message. */
function withAnsweredResults(messages: readonly Message[], losses: Losses): Message[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'user' || messages[index - 1]?.role !== 'tool') return [message];
    losses.note({
      field: 'messages',
      verdict: 'approximated',
      why: 'the provider rejects a user message after a tool result, so a short assistant message is put between them',
    });
    return [{ role: 'assistant', content: ACKNOWLEDGEMENT }, message];
  });
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Returns the members of the first message, with the content of both. */
function merged(first: Message, second: Message): Message {
  const { content: before } = first;
  const { content: after } = second;
  if (typeof before === 'string' && typeof after === 'string') {
    const texts = [before, after].filter((text) => text !== '');
    return { ...second, ...first, content: texts.join('\n\n') };
  }
  return { ...second, ...first, content: [...blocksOf(before), ...blocksOf(after)] };
}

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content);
}
