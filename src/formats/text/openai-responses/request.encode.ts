import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { Losses } from '../../../domain/exchange/loss.ts';
import { effortOf } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeRequest, RestField } from '../../../domain/exchange/request.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { withClosedSchemas } from '../shared/closed-schemas.ts';
import { nearestEffort } from '../shared/nearest-effort.ts';
import { placedTier, tiersOf } from '../shared/service-tier.ts';
import { lastName, type Wire, type Writing } from './encoding.ts';
import { fields } from './fields.ts';
import { encodeInput } from './messages.encode.ts';
import { FORMAT } from './schema.ts';
import { encodeTools } from './tools.ts';

/** The smallest `max_output_tokens` that the API accepts (OpenAI, API reference, "Create a model response"). */
const LEAST_OUTPUT_TOKENS = 16;

/**
 * Encodes the request for an upstream of this format. The gateway has its own store and returns each answer's reasoning to
 * the client, so the upstream is told to store nothing, and encrypted reasoning is always requested.
 */
export function encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  return atOnce(encodeSteps(request, target));
}

export function* encodeSteps(asked: ExchangeRequest, target: EncodeTarget): Steps<EncodedRequest> {
  const losses = new Losses(target.carries, asked.names);
  const isOwn = asked.format === FORMAT;
  const request = withClosedSchemas(carriedRequest(asked, losses, isOwn), target.quirks, losses, isOwn);
  const writing: Writing = { request, target, losses, isOwn, written: new Map(), withoutIds: new Set() };
  const body: Wire = { model: target.upstreamModel };
  const { instructions, input } = yield* encodeInput(writing);
  if (instructions !== null) body.instructions = instructions;
  // A request may consist of only a stored prompt.
  if (!isOwn || request.messages.length > 0) body.input = input;
  encodeTools(body, writing);
  encodeSampling(body, writing);
  encodeOutput(body, writing);
  encodeReasoning(body, writing);
  encodeRest(body, writing);
  body.store = false;
  const added = Array.isArray(body.include) ? ADDED : ADDED_WITH_INCLUDE;
  encodeInclude(body, writing);
  if (target.stream) body.stream = true;
  applyQuirks(body, target.quirks, { names: request.names, losses, fields, added });
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/** Requests reasoning that the client can return, except from a model that does not reason, for which OpenAI refuses it. */
function encodeInclude(body: Wire, { target }: Writing): void {
  const lacksState = target.quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === 'reasoning-state');
  const asked = (Array.isArray(body.include) ? body.include : []).filter(
    (one) => !lacksState || one !== ENCRYPTED_REASONING,
  );
  const include = [
    ...(lacksState ? [] : [ENCRYPTED_REASONING]),
    ...(body.logprobs === undefined ? [] : ['message.output_text.logprobs']),
    ...asked,
  ];
  delete body.logprobs;
  if (include.length > 0) body.include = include;
  else delete body.include;
}

/** Members that the gateway itself adds. */
const ADDED: ReadonlySet<string> = new Set(['store', 'stream']);
const ADDED_WITH_INCLUDE: ReadonlySet<string> = new Set([...ADDED, 'include']);

/** The members that the API counts (OpenAI, API reference, "Get input token counts"). It refuses unknown members. */
const COUNTED: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning'],
  ...['conversation', 'truncation', 'personality'],
]);

/** Returns the same request as the body of POST /v1/responses/input_tokens. */
export function encodeCountRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const encoded = encodeRequest(request, { ...target, stream: false });
  const value = Object.fromEntries(Object.entries(encoded.value).filter(([name]) => COUNTED.has(name)));
  return { ...encoded, body: new Unwritten(value), value };
}

// ---- output options

function encodeSampling(body: Wire, { request, losses }: Writing): void {
  const { maxOutputTokens } = request;
  if (maxOutputTokens !== null) {
    body.max_output_tokens = Math.max(maxOutputTokens, LEAST_OUTPUT_TOKENS);
    if (maxOutputTokens < LEAST_OUTPUT_TOKENS) {
      const field = request.names['max-output-tokens'] ?? 'max_output_tokens';
      const why = `the Responses API accepts no less than ${LEAST_OUTPUT_TOKENS}`;
      losses.note({ field, verdict: 'approximated', why });
    }
  }
  if (request.temperature !== null) body.temperature = request.temperature;
  if (request.topP !== null) body.top_p = request.topP;
  if (request.logprobs !== null) {
    if (request.logprobs.top > 0) body.top_logprobs = request.logprobs.top;
    body.logprobs = true;
  }
}

function encodeOutput(body: Wire, { request, losses }: Writing): void {
  const { responseFormat: format, verbosity } = request;
  const text: Wire = {};
  if (format?.type === 'text') text.format = { type: 'text' };
  else if (format?.type === 'json') text.format = { type: 'json_object' };
  else if (format) {
    text.format = {
      type: 'json_schema',
      name: format.name ?? 'response',
      ...(format.description === null ? {} : { description: format.description }),
      schema: format.schema,
      ...(format.strict === null ? {} : { strict: format.strict }),
    };
  }
  if (verbosity !== null) text.verbosity = verbosity;
  if (Object.keys(text).length > 0) body.text = text;
  if (request.user !== null) {
    body[request.names.user === 'safety_identifier' ? 'safety_identifier' : 'user'] = request.user;
  }
  if (request.metadata !== null) body.metadata = request.metadata;
  if (request.cacheKey !== null) body.prompt_cache_key = request.cacheKey;
  const tier = placedTier(request, FORMAT, TIERS, 'the Responses API does not have this tier', losses);
  if (tier !== null) body.service_tier = tier;
}

const TIERS = tiersOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast');

function encodeReasoning(body: Wire, { request, target, losses }: Writing): void {
  const options = request.reasoning;
  if (options === null) return;
  const reasoning: Wire = {};
  const effort = effortOf(options);
  if (effort === null && options.enabled === true) {
    const why = 'without a stated amount, the model itself decides whether to think';
    losses.note({ field: request.names['reasoning-effort'] ?? 'reasoning', verdict: 'approximated', why });
  }
  if (effort !== null) {
    const known = target.quirks.flatMap((quirk) => (quirk.kind === 'efforts' ? [quirk] : [])).at(0);
    reasoning.effort = known === undefined ? effort : nearestEffort(effort, known.values);
    if (known !== undefined && reasoning.effort !== effort) {
      const field = request.names['reasoning-effort'] ?? request.names['reasoning-budget'] ?? 'reasoning';
      losses.note({ field, verdict: 'approximated', why: known.why });
    }
  }
  if (options.summary !== null && options.summary !== 'none') reasoning.summary = options.summary;
  if (Object.keys(reasoning).length > 0) body.reasoning = reasoning;
}

// ---- members without a canonical place

/** Puts each member back into its object. A member whose object is not in the body is noted as lost. */
function encodeRest(body: Wire, { request, losses, isOwn, written, withoutIds }: Writing): void {
  if (!isOwn) {
    losses.noteRest(request.rest);
    return;
  }
  const unplaced: RestField[] = [];
  const includes: unknown[] = [];
  const within = new Map<string, Wire>();
  for (const field of request.rest) {
    const name = lastName(field.path);
    const parent = field.path.slice(0, -name.length).replace(/\.$/, '');
    if (field.path.startsWith('include[')) includes.push(field.value);
    else if (parent === '') setMember(body, name, field.value);
    else if (name === 'id' && withoutIds.has(parent)) unplaced.push(field);
    else if (written.has(parent)) putBack(written.get(parent) ?? {}, name, field.value);
    else if (
      TOP_OBJECTS.has(parent) ||
      (parent === 'text.format' && isRecord(body.text) && isRecord(body.text.format))
    ) {
      const members = within.get(parent) ?? {};
      within.set(parent, members);
      setMember(members, name, field.value);
    } else unplaced.push(field);
  }
  // Each list and object is written once, whatever the number of members that go back into it.
  if (includes.length > 0) body.include = [...(Array.isArray(body.include) ? body.include : []), ...includes];
  const inFormat = within.get('text.format');
  within.delete('text.format');
  for (const [parent, members] of within)
    body[parent] = { ...(isRecord(body[parent]) ? body[parent] : {}), ...members };
  if (inFormat !== undefined && isRecord(body.text) && isRecord(body.text.format))
    body.text = { ...body.text, format: { ...body.text.format, ...inFormat } };
  losses.noteRest(unplaced);
}

function putBack(object: Wire, name: string, value: unknown): void {
  setMember(object, name, value);
  // The document has no message with an id but without a status.
  if (name === 'id' && object.type === 'message') object.status ??= 'completed';
}

const TOP_OBJECTS: ReadonlySet<string> = new Set(['text', 'reasoning', 'stream_options']);
