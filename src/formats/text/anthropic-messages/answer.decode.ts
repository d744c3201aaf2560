import { endingInText, FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Citation, Part, ReasoningPart, TextPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import { isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeResponse, Finish, FinishReason } from '../../../domain/exchange/response.ts';
import { completionTokens, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerContext, AnswerPatch, DecodeSource } from '../../format.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { exactOf, jsonOf, parseAnswerBytes } from '../../shared/json/exact-json.ts';
import { parseJsonBytes, parseObject } from '../../shared/json/json-text.ts';
import { countOrNull, nonEmptyText, saysSomething, textOrEmpty, textOrNull } from '../../shared/json/json-values.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import { withSearches } from '../shared/hosted-searches.ts';
import { lostMediaText } from '../shared/lost-media.ts';
import { estimateMark } from '../shared/openai-usage.ts';
import { modelOf } from '../shared/served-as.ts';
import { stateForField, stateInField, wrapFoundation, wrapThought } from '../shared/state-token.ts';
import { errorStatus } from './failure.ts';
import { FORMAT } from './schema.ts';

type Wire = Readonly<Record<string, unknown>>;

// ---- from the upstream

export const CALLS = /tool_use"/;

export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const body = parseAnswerBytes(bytes, CALLS);
  if (!isRecord(body)) return bodyNotJson();
  if (!Array.isArray(body.content)) {
    if (body.error === undefined || body.error === null) return bodyNoAnswer();
    return decodeFailure(errorStatus(body.error), new Headers(), bytes);
  }
  if (body.content.length === 0 && !isKnownEnd(body.stop_reason)) return bodyNoAnswer();
  const parts = body.content.map((block: unknown, index) => decodeBlock(block, index, source));
  return {
    id: nonEmptyText(body.id),
    created: null,
    candidates: [{ index: 0, parts, finish: decodeFinish(body.stop_reason, body.stop_sequence, parts.some(isCall)) }],
    usage: withSearches(decodeUsage(body.usage), body.content),
    ...tierOf(body.usage),
    ...modelOf(body.model),
  };
}

export function tierOf(usage: unknown): { readonly serviceTier?: string } {
  const tier = isRecord(usage) ? nonEmptyText(usage.service_tier) : null;
  return tier === null ? {} : { serviceTier: tier };
}

function isCall({ type }: Part): boolean {
  return type === 'tool-call';
}

function decodeBlock(value: unknown, index: number, source: DecodeSource): Part {
  const block: Wire = isRecord(value) ? value : {};
  switch (block.type) {
    case 'text': {
      const citations = Array.isArray(block.citations) ? block.citations.map(decodeCitation) : [];
      return { type: 'text', text: textOrNull(block.text) ?? '', ...(citations.length === 0 ? {} : { citations }) };
    }
    case 'thinking':
      return { type: 'reasoning', text: textOrNull(block.thinking) ?? '', ...issuedState(block.signature, source) };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: true, ...issuedState(block.data, source) };
    case 'tool_use':
      return {
        type: 'tool-call',
        id: textOrEmpty(block.id) || `toolu_${index}`,
        name: textOrEmpty(block.name),
        arguments: jsonOf(block.input ?? {}),
      };
    default:
      return { type: 'unknown', format: FORMAT, value: exactOf(value) };
  }
}

/** Returns the state in a signature or in a redacted block, with its origin; an empty object if the field is empty. */
export function issuedState(text: unknown, { provider, channel }: DecodeSource): { state?: OpaqueState } {
  if (typeof text !== 'string' || text === '') return {};
  const state = stateInField(text, 'anthropic');
  return { state: state.provider === null ? { ...state, provider, channel } : state };
}

const FINISHES: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
  pause_turn: 'pause',
  compaction: 'pause',
};

/** Returns whether an answer without content may end with this reason; an undocumented reason does not tell what happened. */
export function isKnownEnd(stopReason: unknown): boolean {
  const raw = nonEmptyText(stopReason);
  return raw !== null && Object.hasOwn(FINISHES, raw);
}

/** Returns the finish reason. A complete answer without one has stopped, or is waiting for the results of its calls. */
export function decodeFinish(stopReason: unknown, stopSequence: unknown, hasCalls: boolean): Finish {
  const raw = nonEmptyText(stopReason);
  const sequence = nonEmptyText(stopSequence);
  const unsaid = hasCalls ? 'tool-calls' : 'stop';
  return {
    unified: raw === null ? unsaid : (entryOf(FINISHES, raw) ?? 'other'),
    raw,
    ...(sequence === null ? {} : { stopSequence: sequence }),
  };
}

// ---- to the client

/** Returns the message as JSON text. The format can hold only the first candidate. Images and audio are described in words. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const [candidate] = response.candidates;
  const parts = candidate?.parts ?? [];
  const finish = candidate?.finish ?? { unified: 'other', raw: null };
  const words = stopWords(finish, {
    hasCalls: parts.some(isCall),
    hasRefusal: parts.some(({ type }) => type === 'refusal'),
  });
  const head = JSON.stringify({
    id: answerId(response.id, context),
    type: 'message',
    role: 'assistant',
    model: context.publicModel,
  });
  const content = encodeBlocks(parts, thoughtsFor(context)).join(',');
  const usage = encodeUsage(response.usage, response.serviceTier ?? null);
  return `${head.slice(0, -1)},"content":[${content}],${words},"container":null,"usage":${usage},"_routing":${context.routing.json}}`;
}

/**
 * Returns an id that begins with `msg_`, like Anthropic's. Another provider's id is replaced, because clients may check the
 * prefix.
 */
export function answerId(id: string | null, context: AnswerContext): string {
  return id?.startsWith('msg_') ? id : context.newId('msg_');
}

/**
 * Returns which thinking a client sees: none unless it asked for thinking; blocks without their text if it asked for that
 * (`display: "omitted"`).
 */
export function thoughtsFor({ request: { reasoning } }: AnswerContext): 'shown' | 'omitted' | 'hidden' {
  if (reasoning === null || isReasoningOff(reasoning)) return 'hidden';
  if (reasoning.enabled !== true && !reasoning.adaptive) return 'hidden';
  return reasoning.summary === 'none' ? 'omitted' : 'shown';
}

/**
 * Blocks as JSON texts. The part of a call's foundation that the client does not see (its state and hidden thinking) goes
 * before the call in a redacted block. The state of the last text goes before that text if the client expects thinking
 * there. Otherwise only the gateway remembers it, because nothing may follow the text.
 */
function encodeBlocks(parts: readonly Part[], thoughts: ReturnType<typeof thoughtsFor>): string[] {
  const blocks: string[] = [];
  const foundations = new FoundationCollector();
  let words = 0;
  const say = (block: string, state?: OpaqueState, length = 0) => {
    foundations.said(state, length);
    words = blocks.length;
    blocks.push(block);
  };
  for (const part of endingInText(parts)) {
    switch (part.type) {
      case 'text':
        if (part.text !== '' || part.citations !== undefined) say(textBlock(part), part.state, part.text.length);
        else if (part.state !== undefined) foundations.said(part.state);
        break;
      case 'refusal':
        if (part.text !== '') say(JSON.stringify({ type: 'text', text: part.text, citations: null }));
        break;
      case 'reasoning':
        if (thoughts === 'hidden') foundations.thought(part);
        else blocks.push(...thoughtBlock(part, thoughts));
        break;
      case 'tool-call': {
        const foundation = foundations.call(part.state);
        if (isFounded(foundation)) blocks.push(redactedBlock(wrapFoundation(foundation)));
        blocks.push(`${callHead(part.id, part.name)},"input":${argumentsJson(part)}}`);
        break;
      }
      case 'unknown':
        if (part.format === FORMAT) blocks.push(JSON.stringify(part.value));
        break;
      case 'image':
      case 'audio':
      case 'video':
      case 'document':
        say(JSON.stringify({ type: 'text', text: lostMediaText(part), citations: null }));
        break;
      default:
    }
  }
  const last = foundations.call(undefined);
  if (thoughts !== 'hidden' && isFounded(last)) blocks.splice(words, 0, redactedBlock(wrapFoundation(last)));
  return blocks;
}

function textBlock({ text, citations: all }: TextPart): string {
  const citations = all?.map(encodeCitation).filter((citation) => citation !== null) ?? [];
  return JSON.stringify({ type: 'text', text, citations: citations.length === 0 ? null : citations });
}

function thoughtBlock(part: ReasoningPart, thoughts: 'shown' | 'omitted'): string[] {
  if (part.redacted && part.text === '') {
    return part.state === undefined ? [] : [redactedBlock(stateForField(part.state, 'anthropic'))];
  }
  const isShown = thoughts === 'shown';
  if (part.state === undefined && (!isShown || part.text === '')) return [];
  const thinking = isShown ? part.text : '';
  return [JSON.stringify({ type: 'thinking', thinking, signature: signatureOf(part, isShown) })];
}

/** Returns a thinking block's `signature`. It contains the text if the block does not show it. */
export function signatureOf({ state, ...part }: ReasoningPart, isShown: boolean): string {
  if (state === undefined) return '';
  return isShown || part.text === '' ? stateForField(state, 'anthropic') : wrapThought({ ...part, state });
}

export function redactedBlock(data: string): string {
  return `{"type":"redacted_thinking","data":${JSON.stringify(data)}}`;
}

/** Returns the members of a call except its input, without the closing brace. */
export function callHead(id: string, name: string): string {
  const head = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  return JSON.stringify(head).slice(0, -1);
}

/**
 * Returns the arguments as an object, which the wire requires. Other arguments (a custom tool's text, broken JSON) are put into
 * an object as a text, so that the client sees what the model wrote.
 */
export function argumentsJson({ arguments: text, custom }: Pick<ToolCallPart, 'arguments' | 'custom'>): string {
  if (custom === true) return JSON.stringify({ input: text });
  if (hasNoArguments(text)) return '{}';
  return parseObject(text) !== null ? text : JSON.stringify({ arguments: text });
}

/** Returns whether a tool was called without arguments, for which models also write `null`. */
export function hasNoArguments(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === '' || trimmed === 'null';
}

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
};

/** Returns `stop_reason`, `stop_sequence` and `stop_details` as JSON members. */
export function stopWords(
  finish: Finish,
  { hasCalls, hasRefusal }: { hasCalls: boolean; hasRefusal: boolean },
): string {
  const sequence = finish.stopSequence ?? null;
  return `"stop_reason":${JSON.stringify(stopReason(finish, sequence, hasCalls, hasRefusal))},"stop_sequence":${JSON.stringify(sequence)},"stop_details":null`;
}

function stopReason({ raw, unified }: Finish, sequence: string | null, hasCalls: boolean, hasRefusal: boolean): string {
  if (raw !== null && Object.hasOwn(FINISHES, raw)) return raw;
  if (hasRefusal) return 'refusal';
  if (unified === 'stop' && hasCalls) return 'tool_use';
  return unified === 'stop' && sequence !== null ? 'stop_sequence' : STOP_REASONS[unified];
}

/** Returns the answer to a count request, with a mark if the number is the gateway's own estimate. */
export function encodeTokenCount(tokens: number, estimated: boolean, { routing }: AnswerPatch): string {
  return `{"input_tokens":${tokens}${estimated ? ',"estimated":true' : ''},"_routing":${routing.json}}`;
}

/** Returns the number in the answer to a count request. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseJsonBytes(bytes);
  const tokens = isRecord(body) ? body.input_tokens : null;
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : null;
}

// ---- citations

/* A text block's sources, in answers and in the turns that a client sends back. */

/** Decodes a citation. Anthropic cites a whole text block, so there is no span inside the block. */
export function decodeCitation(value: unknown): Citation {
  const wire = isRecord(value) ? value : {};
  return {
    url: nonEmptyText(wire.url) ?? (wire.type === 'search_result_location' ? nonEmptyText(wire.source) : null),
    title: nonEmptyText(wire.title) ?? nonEmptyText(wire.document_title),
    citedText: nonEmptyText(wire.cited_text),
    start: null,
    end: null,
    documentIndex: typeof wire.document_index === 'number' && !isFromSearch(wire) ? wire.document_index : null,
    raw: { format: FORMAT, value },
  };
}

/** Returns whether the citation is from a search. Its source is then not a document of the request. */
function isFromSearch({ type }: Wire): boolean {
  return type === 'web_search_result_location' || type === 'search_result_location';
}

/**
 * Returns a citation in this format; `null` if the format has no shape for it. Another provider's web source becomes a web
 * search location with an empty `encrypted_index`. This marks it as foreign when the client sends it back.
 */
export function encodeCitation(citation: Citation): unknown {
  const { raw, url, title, citedText } = citation;
  if (raw?.format === FORMAT) return raw.value;
  if (url === null) return null;
  return { type: 'web_search_result_location', url, title, cited_text: citedText ?? '', encrypted_index: '' };
}

/** Returns whether Anthropic itself issued the citation, so that it may be sent back to Anthropic. */
export function isIssued({ raw }: Citation): boolean {
  return raw?.format === FORMAT && !(isRecord(raw.value) && raw.value.encrypted_index === '');
}

// ---- usage

/*
 * Anthropic's counts are separate where other formats include one in the other: `input_tokens` contains neither cache reads
 * nor cache writes. Only thinking is included, in `output_tokens` (SDK reference, "Usage").
 */

/** Reads a `usage` object; `null` when it holds no counts, so that a reported zero stays a zero. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = countOrNull(value.input_tokens);
  const output = countOrNull(value.output_tokens);
  if (input === null && output === null) return null;
  const own = countsIn(value);
  const apart = Array.isArray(value.iterations) ? value.iterations.filter(isApart).map(countsIn) : [];
  const sum = (part: (counts: Counts) => number) => apart.reduce((total, counts) => total + part(counts), part(own));
  const cacheWrite1h = sum((counts) => counts.cacheWrite1h);
  const server = isRecord(value.server_tool_use) ? countOrNull(value.server_tool_use.web_search_requests) : null;
  return {
    input: sum((counts) => counts.input),
    cachedInput: sum((counts) => counts.cachedInput),
    cacheWrite: sum((counts) => counts.cacheWrite),
    ...(cacheWrite1h > 0 ? { cacheWrite1h } : {}),
    output: sum((counts) => counts.output),
    reasoning: own.reasoning,
    ...(server === null ? {} : { webSearches: server }),
    source: 'reported',
    raw: value,
  };
}

/**
 * Returns whether an entry is in no other count: the cost of summarising a compacted context and of asking an advisor (SDK
 * reference, "iterations"). The totals include the rounds of the message itself. They include a round that fell back to another
 * model, but not the round that it replaces.
 */
function isApart(entry: unknown): boolean {
  return isRecord(entry) && (entry.type === 'compaction' || entry.type === 'advisor_message');
}

interface Counts {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

function countsIn(value: unknown): Counts {
  const wire: Wire = isRecord(value) ? value : {};
  const creation: Wire = isRecord(wire.cache_creation) ? wire.cache_creation : {};
  const cacheWrite1h = countOrNull(creation.ephemeral_1h_input_tokens) ?? 0;
  const written = countOrNull(wire.cache_creation_input_tokens);
  const details: Wire = isRecord(wire.output_tokens_details) ? wire.output_tokens_details : {};
  const output = countOrNull(wire.output_tokens) ?? 0;
  const reasoning = Math.min(countOrNull(details.thinking_tokens) ?? 0, output);
  return {
    input: countOrNull(wire.input_tokens) ?? 0,
    cachedInput: countOrNull(wire.cache_read_input_tokens) ?? 0,
    cacheWrite:
      written === null ? (countOrNull(creation.ephemeral_5m_input_tokens) ?? 0) : Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

/**
 * Returns the usage of a stream so far: `message_start` reports the prompt, `message_delta` repeats changed counts. All counts
 * are for the whole message, so a later one replaces an earlier one. A `null` or a zero is ignored, because no count of a message
 * ever decreases.
 */
export function mergeUsage(earlier: unknown, later: unknown): Wire {
  const merged: Record<string, unknown> = isRecord(earlier) ? { ...earlier } : {};
  if (isRecord(later)) {
    for (const key in later) {
      const before = entryOf(merged, key);
      if (saysSomething(later[key]) || before === undefined || before === null) setMember(merged, key, later[key]);
    }
  }
  return merged;
}

/**
 * Returns JSON text of a `usage` object: Anthropic's own usage unchanged, any other provider's in Anthropic's members. Unknown
 * counts are written as zero, because the format has no way to express that they are unknown.
 */
export function encodeUsage(usage: Usage | null, serviceTier: string | null): string {
  return JSON.stringify({
    ...sharedMembers(usage),
    cache_creation: creationOf(usage),
    inference_geo: null,
    service_tier: TIERS.has(serviceTier) ? serviceTier : null,
    ...ownMembers(usage),
    ...(usage === null ? {} : estimateMark(usage)),
  });
}

/** Returns JSON text of the `usage` of a `message_delta`: the SDKs take all counts of a streamed message from here. */
export function encodeDeltaUsage(usage: Usage | null): string {
  const creation = (usage?.cacheWrite1h ?? 0) > 0 ? { cache_creation: creationOf(usage) } : {};
  const mark = usage === null ? {} : estimateMark(usage);
  return JSON.stringify({ ...sharedMembers(usage), ...creation, ...ownMembers(usage), ...mark });
}

const TIERS: ReadonlySet<string | null> = new Set(['standard', 'priority', 'batch']);

const NO_SEARCHES = { web_search_requests: 0, web_fetch_requests: 0 };

/** Returns the members of Anthropic's own usage. No other format has a count of cache writes with this name. */
function ownMembers(usage: Usage | null): Wire {
  const raw = usage?.raw;
  if (!isRecord(raw) || !('cache_creation_input_tokens' in raw) || !('input_tokens' in raw)) return {};
  const { server_tool_use: searches } = raw;
  return isRecord(searches) ? { ...raw, server_tool_use: { ...NO_SEARCHES, ...searches } } : raw;
}

function creationOf(usage: Usage | null) {
  return { ephemeral_5m_input_tokens: usage?.cacheWrite ?? 0, ephemeral_1h_input_tokens: usage?.cacheWrite1h ?? 0 };
}

function sharedMembers(usage: Usage | null) {
  const searches = usage?.webSearches;
  return {
    input_tokens: usage === null ? 0 : usage.input + (usage.inputAudio ?? 0) + (usage.inputImage ?? 0),
    cache_creation_input_tokens: (usage?.cacheWrite ?? 0) + (usage?.cacheWrite1h ?? 0),
    cache_read_input_tokens: usage?.cachedInput ?? 0,
    output_tokens: usage === null ? 0 : completionTokens(usage),
    ...(usage !== null && usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    server_tool_use: searches === undefined ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  };
}
