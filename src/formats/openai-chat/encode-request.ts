import { type Carries, FEATURES, type Feature, Losses } from '../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { Unwritten } from '../shared/json-writer.ts';
import { atOnce, type Steps } from '../shared/steps.ts';
import { type Body, type EncodeContext, OwnMembers } from './encode-context.ts';
import { MessagesEncoder } from './encode-messages.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeResponseFormat, encodeTools } from './encode-tools.ts';
import { fields } from './fields.ts';

/** OpenAI's bound; the others that say one take more. */
const MAX_STOP = 4;
const TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast']);

/** What the gateway itself puts into a body: leaving it out loses nothing of the client's. */
const GATEWAY_MEMBERS = new Set(['stream', 'stream_options']);

/**
 * A request as a chat body. The norm is what most providers take: the bound of the answer is `max_tokens` (OpenAI's own
 * reasoning models, and Azure's, have a quirk that renames it to `max_completion_tokens`), earlier thoughts go back as
 * `reasoning_content`, effort is `reasoning_effort`.
 */
export function encodeRequest(request: ExchangeRequest, to: EncodeTarget): EncodedRequest {
  return atOnce(encodeSteps(request, to));
}

export function* encodeSteps(request: ExchangeRequest, to: EncodeTarget): Steps<EncodedRequest> {
  const own = new OwnMembers(request);
  const target = own.isOwn ? { ...to, carries: carriesOfOwn(to) } : to;
  const losses = new Losses(target.carries, request.names);
  const context: EncodeContext = { request, target, losses, own };
  const messages = yield* new MessagesEncoder(context).encode(request.messages);
  const body: Body = { model: target.upstreamModel, messages };
  encodeTools(body, context);
  encodeKnobs(body, context);
  const instruction =
    request.responseFormat === null ? null : encodeResponseFormat(request.responseFormat, body, context);
  if (instruction !== null) messages.splice(leadingSystem(messages), 0, { role: 'system', content: instruction });
  if (request.reasoning !== null) encodeReasoning(request.reasoning, body, context);
  if (target.stream) {
    const options: Body = { include_usage: true };
    own.into('stream_options', options);
    body.stream = true;
    body.stream_options = options;
  }
  own.into('', body);
  own.noteLeft(losses);
  const value = applyQuirks(body, context);
  return { body: new Unwritten(value), value, losses: losses.all };
}

/** What only one provider can read, or only under its own name, in whichever format it comes. */
const NEVER_OWN: ReadonlySet<string> = new Set<Feature>(['reasoning-state', 'provider-file', 'unknown-blocks']);

/**
 * A client of this very format speaks of what its provider has; all of it goes there, as it would on the relay lane, but for
 * what the provider is known to lack.
 */
function carriesOfOwn({ carries, quirks }: EncodeTarget): Carries {
  const lacked = new Set(quirks.flatMap((quirk) => (quirk.kind === 'lacks' ? [quirk.feature] : [])));
  const entries = FEATURES.map((feature) => {
    const isKnown = lacked.has(feature) || NEVER_OWN.has(feature);
    return [feature, isKnown ? carries[feature] : 'exact'] as const;
  });
  // Every feature has an entry: the list of them is what was mapped.
  return Object.fromEntries(entries) as Carries;
}

function encodeKnobs(body: Body, context: EncodeContext): void {
  const { request, target, losses, own } = context;
  const knob = (feature: Feature, member: string, value: unknown) => {
    if (value !== null && losses.carry(feature)) body[member] = value;
  };
  const { names } = request;
  knob(
    'max-output-tokens',
    (own.isOwn ? names['max-output-tokens'] : undefined) ?? 'max_tokens',
    request.maxOutputTokens,
  );
  knob('temperature', 'temperature', request.temperature);
  knob('top-p', 'top_p', request.topP);
  knob('top-k', 'top_k', request.topK);
  knob('frequency-penalty', 'frequency_penalty', request.frequencyPenalty);
  knob('presence-penalty', 'presence_penalty', request.presencePenalty);
  knob('seed', 'seed', request.seed);
  encodeStop(body, request, losses, own);
  const isOne = request.candidateCount === 1 && target.carries['candidate-count'] !== 'exact';
  if (!isOne) knob('candidate-count', 'n', request.candidateCount);
  if (request.logprobs !== null && losses.carry('logprobs')) {
    body.logprobs = true;
    if (request.logprobs.top > 0) body.top_logprobs = request.logprobs.top;
  }
  knob('logit-bias', 'logit_bias', request.logitBias);
  knob('verbosity', 'verbosity', request.verbosity);
  encodeModalities(body, context);
  knob('user', (own.isOwn ? names.user : undefined) ?? 'user', request.user);
  knob('cache-key', 'prompt_cache_key', request.cacheKey);
  knob('metadata', 'metadata', request.metadata);
  encodeTier(body, request, losses, own);
}

const MODALITIES: ReadonlySet<string> = new Set(['text', 'audio']);

/** OpenAI's models answer with text and sound; a provider that says that it has more has pictures, too. */
function encodeModalities(body: Body, { request, target, losses, own }: EncodeContext): void {
  const { modalities, names } = request;
  if (modalities === null || !losses.carry('output-modalities')) return;
  const hasAll = target.quirks.some((quirk) => quirk.kind === 'has' && quirk.feature === 'output-modalities');
  if (!own.isOwn && !hasAll && modalities.some((name) => !MODALITIES.has(name))) {
    const why = 'the provider answers with text and sound only';
    losses.note({ field: names['output-modalities'] ?? 'modalities', verdict: 'refused', why });
    return;
  }
  body.modalities = modalities;
}

function encodeStop(body: Body, { stop, names }: ExchangeRequest, losses: Losses, own: OwnMembers): void {
  if (stop.length === 0 || !losses.carry('stop')) return;
  body.stop = own.isOwn ? stop : stop.slice(0, MAX_STOP);
  if (own.isOwn || stop.length <= MAX_STOP) return;
  const why = `chat completions take ${MAX_STOP} stop sequences; the first ones are sent`;
  losses.note({ field: names.stop ?? 'stop', verdict: 'approximated', why });
}

/** Each vendor has tiers of its own; a word of another one would be refused. */
function encodeTier(body: Body, { serviceTier, names }: ExchangeRequest, losses: Losses, own: OwnMembers): void {
  if (serviceTier === null || !losses.carry('service-tier')) return;
  if (own.isOwn || TIERS.has(serviceTier)) {
    body.service_tier = serviceTier;
    return;
  }
  const why = 'the providers of this format have no such tier';
  losses.note({ field: names['service-tier'] ?? 'service_tier', verdict: 'dropped', why });
}

function leadingSystem(messages: readonly Body[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return first < 0 ? messages.length : first;
}

// ---- what providers do otherwise

function applyQuirks(body: Body, context: EncodeContext): Body {
  const { quirks } = context.target;
  if (quirks.length === 0) return body;
  for (const quirk of quirks) applyBound(body, quirk, context);
  const renamed = rename(body, quirks);
  for (const quirk of quirks) applyBound(renamed, quirk, context);
  for (const quirk of quirks) {
    if (quirk.kind === 'omit') omit(renamed, quirk, context);
    else if (quirk.kind === 'set' && renamed[quirk.field] === undefined) renamed[quirk.field] = quirk.value;
  }
  return renamed;
}

function rename(body: Body, quirks: readonly Quirk[]): Body {
  const names = new Map(quirks.flatMap((quirk) => (quirk.kind === 'rename' ? [[quirk.from, quirk.to] as const] : [])));
  if (names.size === 0) return body;
  return Object.fromEntries(Object.entries(body).map(([member, value]) => [names.get(member) ?? member, value]));
}

function applyBound(body: Body, quirk: Quirk, context: EncodeContext): void {
  if (quirk.kind !== 'minimum' && quirk.kind !== 'maximum') return;
  const value = body[quirk.field];
  if (typeof value !== 'number') return;
  const bounded = quirk.kind === 'minimum' ? Math.max(value, quirk.value) : Math.min(value, quirk.value);
  if (bounded === value) return;
  body[quirk.field] = bounded;
  const field = clientField(quirk.field, context);
  context.losses.note({
    field,
    verdict: 'approximated',
    why: `${quirk.value} is the ${quirk.kind} there: ${quirk.why}`,
  });
}

function omit(body: Body, quirk: Extract<Quirk, { kind: 'omit' }>, context: EncodeContext): void {
  if (body[quirk.field] === undefined) return;
  delete body[quirk.field];
  if (GATEWAY_MEMBERS.has(quirk.field)) return;
  context.losses.note({ field: clientField(quirk.field, context), verdict: 'dropped', why: quirk.why });
}

function clientField(member: string, { request }: EncodeContext): string {
  const feature = fields[member];
  // The client's format may name the feature otherwise than this one.
  return (typeof feature === 'string' && feature !== 'exact' ? request.names[feature] : undefined) ?? member;
}
