import { endingInText, type Foundation, FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, Part, ReasoningPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerContext, AnswerPatch, DecodeSource } from '../../format.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { exactObject, jsonOf, parseAnswerBytes } from '../../shared/json/exact-json.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import {
  candidateIndexes,
  countOrNull,
  indexOr,
  nonEmptyText,
  saysSomething,
  textOrNull,
} from '../../shared/json/json-values.ts';
import { addMembers, isRecord } from '../../shared/json/record.ts';
import { modelOf } from '../shared/served-as.ts';
import { stateForField, wrapFoundation } from '../shared/state-token.ts';
import { encodeCitations, type PlacedCitation, webSearchesOf, withCitations } from './citations.ts';
import { errorOf, fingerprint, MADE_UP_ID, memberOf, numberOf, standardBase64, type WireObject } from './decoding.ts';
import { decodeFailure } from './failure.ts';
import {
  type CandidateEnd,
  decodeFinish,
  decodeLogprobs,
  encodeFinish,
  encodeLogprobs,
  failedCandidates,
  finishReasonOf,
  type PromptBlock,
  promptBlock,
} from './finish.ts';
import { FORMAT } from './schema.ts';
import { decodeUsage, encodeUsage, serviceTierOf } from './usage.ts';

// ---- from an upstream

/** Returns a GenerateContentResponse. A blocked prompt is an answer (the model refused), an `error` member is a failure. */
export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const body = parseAnswer(bytes);
  if (body === null) return bodyNotJson();
  const { error } = body;
  if (errorOf(error)) return errorInAnswer(error);
  const listed = body.candidates;
  const wire = Array.isArray(listed) ? listed.filter(isRecord) : [];
  const block = promptBlock(body);
  const isSilent = wire.every(saysNothing);
  if (isSilent && block === null) return bodyNoAnswer();
  const failed = failedCandidates(wire.map(endOf));
  if (failed !== null) return failed;
  const usage = memberOf(body, 'usageMetadata');
  const ids = new CallIds(body);
  const indexes = candidateIndexes(wire.map((candidate) => numberOf(candidate.index)));
  const candidates = wire.map((candidate, place) => decodeCandidate(candidate, indexes[place] ?? place, ids, source));
  const searches = wire.reduce((sum, candidate) => sum + webSearchesOf(candidate), 0);
  return {
    id: nonEmptyText(memberOf(body, 'responseId')),
    created: createdOf(body),
    candidates: isSilent && block !== null ? [blockedCandidate(block)] : candidates,
    usage: decodeUsage(usage, searches),
    serviceTier: serviceTierOf(usage),
    ...modelOf(memberOf(body, 'modelVersion')),
  };
}

export const CALLS = /"function_?[cC]all"/;

function parseAnswer(bytes: Uint8Array): WireObject | null {
  const body = parseAnswerBytes(bytes, CALLS);
  if (Array.isArray(body) && body.length > 0 && body.every(isRecord)) return joined(body);
  return isRecord(body) ? body : null;
}

/** Joins the chunks of a stream in the array framing to one answer. The array is the API's own form of a whole stream. */
function joined(chunks: readonly WireObject[]): WireObject {
  const candidates = new Map<number, { whole: WireObject; parts: WireObject[] }>();
  for (const chunk of chunks) {
    const listed = Array.isArray(chunk.candidates) ? chunk.candidates.filter(isRecord) : [];
    for (const [index, candidate] of listed.entries()) {
      const number = indexOr(numberOf(candidate.index), index);
      const known = candidates.get(number) ?? { whole: {}, parts: [] };
      known.whole = { ...known.whole, ...candidate };
      for (const part of wireParts(candidate)) addPart(known.parts, part);
      candidates.set(number, known);
    }
  }
  const whole: WireObject = addMembers({}, ...chunks);
  if (candidates.size === 0) return whole;
  return {
    ...whole,
    candidates: [...candidates.values()].map(({ whole: one, parts }) => ({ ...one, content: { parts } })),
  };
}

/** Pieces of a text, or of a thought, are joined to one part if they contain only text. */
function addPart(parts: WireObject[], part: WireObject): void {
  const last = parts.at(-1);
  const isPlain = (one: WireObject | undefined) =>
    typeof one?.text === 'string' && Object.keys(one).every((key) => key === 'text' || key === 'thought');
  if (last === undefined || !isPlain(last) || !isPlain(part) || last.thought !== part.thought) parts.push(part);
  else parts[parts.length - 1] = { ...last, text: `${String(last.text)}${String(part.text)}` };
}

/** Returns an `error` object inside a 200 is decoded in the same way as an error answer. */
export function errorInAnswer(error: WireObject): Failure {
  const code = numberOf(error.code);
  const status = code !== null && code >= 400 && code < 600 ? code : 502;
  return decodeFailure(status, new Headers(), new TextEncoder().encode(JSON.stringify({ error })));
}

/** Returns Vertex's `createTime` in Unix seconds. */
export function createdOf(body: WireObject): number | null {
  const time = memberOf(body, 'createTime');
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}

/** Returns whether a candidate has neither a part nor a reason for the lack of one. */
function saysNothing(candidate: WireObject): boolean {
  return finishReasonOf(candidate) === null && !wireParts(candidate).some(saysSomething);
}

function endOf(candidate: WireObject): CandidateEnd {
  return {
    raw: finishReasonOf(candidate),
    message: memberOf(candidate, 'finishMessage'),
    hasContent: wireParts(candidate).some(saysSomething),
  };
}

function blockedCandidate({ reason, message }: PromptBlock): Candidate {
  return {
    index: 0,
    parts: [{ type: 'refusal', text: message, byGateway: true }],
    finish: { unified: 'content-filter', raw: reason },
  };
}

function decodeCandidate(candidate: WireObject, index: number, ids: CallIds, source: DecodeSource): Candidate {
  const parts = wireParts(candidate).flatMap((part) => decodePart(part, source, () => ids.next(index)) ?? []);
  const logprobs = decodeLogprobs(candidate);
  return {
    index,
    parts: withCitations(parts, candidate),
    finish: decodeFinish(finishReasonOf(candidate), parts.some(isCall)),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

export function wireParts(candidate: WireObject): readonly WireObject[] {
  const { content } = candidate;
  const parts = isRecord(content) ? content.parts : null;
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

function isCall(part: Part): boolean {
  return part.type === 'tool-call';
}

/**
 * Ids for calls that have none from the upstream. The same answer always gives the same ids; different answers give
 * different ids.
 */
export class CallIds {
  private readonly answer: string;
  private count = 0;

  constructor(body: WireObject) {
    const id = memberOf(body, 'responseId') ?? memberOf(body, 'createTime');
    const known = typeof id === 'string' && id !== '' ? id : fingerprint(JSON.stringify(body));
    this.answer = /^[\w-]{1,32}$/.test(known) ? known : fingerprint(known);
  }

  next(candidate: number): string {
    return `${MADE_UP_ID}${this.answer}_${candidate}_${this.count++}`;
  }
}

/** Returns one part of an answer; `null` for an empty one. A part without a canonical form stays unchanged. */
export function decodePart(part: WireObject, source: DecodeSource, newId: () => string): Part | null {
  const state = stateOf(part, source);
  const withState = state === undefined ? {} : { state };
  const inline = memberOf(part, 'inlineData');
  const file = memberOf(part, 'fileData');
  const call = memberOf(part, 'functionCall');
  if (isRecord(call) && saysSomething(call)) return decodeCall(call, state, newId);
  const text = textOrNull(part.text);
  // A part with an empty text may have other content, because servers that always write optional members write both.
  const hasText = text !== null && (text !== '' || !hasOther(part));
  if (part.thought === true && (hasText || text === null)) {
    if (text === null) return { type: 'unknown', format: FORMAT, value: part };
    return { type: 'reasoning', text, summary: true, ...withState };
  }
  if (hasText) return { type: 'text', text, ...withState };
  if (isRecord(inline) && typeof inline.data === 'string' && inline.data !== '') {
    const mediaType = textOrNull(memberOf(inline, 'mimeType'));
    const data = standardBase64(inline.data);
    return { type: mediaKind(mediaType), source: { kind: 'base64', data }, mediaType, ...withState };
  }
  if (isRecord(file)) {
    const uri = nonEmptyText(memberOf(file, 'fileUri'));
    const mediaType = textOrNull(memberOf(file, 'mimeType'));
    if (uri !== null) return { type: mediaKind(mediaType), source: { kind: 'url', url: uri }, mediaType, ...withState };
  }
  if (!saysSomething(part)) return null;
  if (state !== undefined && Object.keys(part).length === 1) return { type: 'text', text: '', state };
  return { type: 'unknown', format: FORMAT, value: part };
}

const BESIDE_TEXT: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature', 'thought_signature']);

function hasOther(part: WireObject): boolean {
  for (const key in part) if (!BESIDE_TEXT.has(key) && saysSomething(part[key])) return true;
  return false;
}

function decodeCall(call: WireObject, state: OpaqueState | undefined, newId: () => string): ToolCallPart {
  const id = textOrNull(call.id);
  return {
    type: 'tool-call',
    id: id === null || id === '' ? newId() : id,
    name: textOrNull(call.name) ?? '',
    arguments: isRecord(call.args) ? jsonOf(call.args) : '{}',
    ...(state === undefined ? {} : { state }),
  };
}

/** Returns Google's own signature as state, with its origin. */
export function stateOf(part: WireObject, { provider, channel }: DecodeSource): OpaqueState | undefined {
  const data = memberOf(part, 'thoughtSignature');
  return typeof data === 'string' && data !== '' ? { family: 'google', data, provider, channel } : undefined;
}

export function mediaKind(mediaType: string | null): MediaPart['type'] {
  const kind = mediaType?.split('/', 1)[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

// ---- to a client

export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const { usage, serviceTier } = response;
  const body = JSON.stringify({
    candidates: response.candidates.map((candidate) => encodeCandidate(candidate, showsThoughts(context))),
    ...(usage === null ? {} : { usageMetadata: encodeUsage(usage, serviceTier) }),
    modelVersion: context.publicModel,
    responseId: responseIdFor(response.id, context),
  });
  return `${body.slice(0, -1)},"_routing":${context.routing.json}}`;
}

/** Returns the upstream's id if it looks like one of Google's. Ids of other vendors have their own prefixes. */
export function responseIdFor(id: string | null, context: Pick<AnswerContext, 'newId'>): string {
  return id !== null && /^(?![a-z]+[-_])[\w-]{8,64}$/.test(id) ? id : context.newId('');
}

/** Returns whether the client asked to see thoughts (`includeThoughts`). */
export function showsThoughts({ request: { reasoning } }: AnswerContext): boolean {
  const summary = reasoning?.summary ?? null;
  return summary !== null && summary !== 'none';
}

/**
 * Thoughts are written as text only. Their state goes with the call that they belong to, or with the last text, where the
 * SDKs keep it.
 */
function encodeCandidate({ index, parts, finish, logprobs }: Candidate, isShown: boolean): WireObject {
  const placed: PlacedCitation[] = [];
  const wire: WireObject[] = [];
  const foundations = new FoundationCollector();
  for (const part of endingInText(parts)) {
    if (part.type === 'text') foundations.said(foreign(part.state), part.text.length);
    if (part.type === 'reasoning' && !isOwnThought(part, isShown)) {
      foundations.thought(part);
      if (!isShown || part.text === '') continue;
    }
    const encoded = part.type === 'tool-call' ? encodeCall(part, foundations.call(part.state)) : encodePart(part);
    if (encoded === null) continue;
    if (part.type === 'text') {
      for (const citation of part.citations ?? []) placed.push({ citation, partIndex: wire.length, text: part.text });
    }
    wire.push(encoded);
  }
  addSignature(wire, signatureOn(foundations.call(undefined)));
  // The API itself sends an empty text if a model stopped without output, because its SDK refuses a content without parts.
  if (wire.length === 0 && finish.unified !== 'content-filter') wire.push({ text: '' });
  return {
    content: { ...(wire.length === 0 ? {} : { parts: wire }), role: 'model' },
    finishReason: encodeFinish(finish),
    index,
    ...encodeCitations(placed),
    ...(logprobs === undefined ? {} : { logprobsResult: encodeLogprobs(logprobs) }),
  };
}

/** Returns whether the thought is Google's own and shown. It then carries its signature. */
export function isOwnThought({ state }: ReasoningPart, isShown: boolean): boolean {
  return isShown && state !== undefined && foreign(state) === undefined;
}

/** Adds the foundation of the last text to that text's part. */
function addSignature(wire: WireObject[], signature: WireObject): void {
  if (!('thoughtSignature' in signature)) return;
  const last = wire.at(-1);
  const isFree = last !== undefined && 'text' in last && last.thought !== true && !('thoughtSignature' in last);
  wire.splice(isFree ? -1 : wire.length, isFree ? 1 : 0, { ...(isFree ? last : { text: '' }), ...signature });
}

/** Returns one part for a client of this format, except calls; `null` for a part that only another format understands. */
export function encodePart(part: Part): WireObject | null {
  switch (part.type) {
    case 'text':
      return { text: part.text, ...(foreign(part.state) === undefined ? signatureOf(part.state) : {}) };
    case 'refusal':
      return { text: part.text };
    case 'reasoning':
      return { text: part.text, thought: true, ...(foreign(part.state) === undefined ? signatureOf(part.state) : {}) };
    case 'unknown':
      return part.format === FORMAT && isRecord(part.value) ? part.value : null;
    case 'tool-call':
    case 'tool-result':
      return null;
    default:
      return encodeMedia(part);
  }
}

function encodeCall(part: ToolCallPart, foundation: Foundation): WireObject {
  return { functionCall: { name: part.name, args: argumentsObject(part), id: part.id }, ...signatureOn(foundation) };
}

/** Returns the state if it is not Google's. Google's own state can be attached to a text directly. */
export function foreign(state: OpaqueState | undefined): OpaqueState | undefined {
  return state?.family === 'google' ? undefined : state;
}

/**
 * Returns the foundation of a call or of the last text, in one signature field. If there is only Google's own signature, it is
 * written unchanged.
 */
export function signatureOn(foundation: Foundation): WireObject {
  if (!isFounded(foundation)) return {};
  const { state, ...others } = foundation;
  const isOwn = state?.family === 'google' && !isFounded({ ...others, state: undefined });
  return { thoughtSignature: isOwn ? state.data : wrapFoundation(foundation) };
}

function encodeMedia({ source, mediaType, state, type }: MediaPart): WireObject | null {
  const mimeType = mediaType ?? DEFAULT_TYPES[type];
  switch (source.kind) {
    case 'base64':
      return { inlineData: { mimeType, data: source.data }, ...signatureOf(state) };
    case 'url':
      return { fileData: { mimeType, fileUri: source.url }, ...signatureOf(state) };
    case 'text':
      return { text: source.text };
    case 'file':
      return source.format === FORMAT ? { fileData: { mimeType, fileUri: source.id }, ...signatureOf(state) } : null;
  }
}

const DEFAULT_TYPES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  document: 'application/pdf',
};

function signatureOf(state: OpaqueState | undefined): WireObject {
  return state === undefined ? {} : { thoughtSignature: stateForField(state, 'google') };
}

/**
 * Returns a call's arguments as the object that `args` must be. Free text and broken JSON are put under a separate member.
 * Models also write `null` for a tool without arguments.
 */
export function argumentsObject({ arguments: text, custom }: Pick<ToolCallPart, 'arguments' | 'custom'>): WireObject {
  if (custom === true) return { input: text };
  if (text.trim() === '') return {};
  const object = exactObject(text);
  if (object !== null) return object;
  const value = parseJson(text);
  return value === null ? {} : { arguments: value ?? text };
}

/** Returns the prompt's tokens in the answer to a count request; `null` if it does not state them. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseAnswer(bytes);
  return body === null ? null : countOrNull(numberOf(memberOf(body, 'totalTokens')));
}

/** Returns the answer to a count request. The API has no member that marks an estimate, so one is added. */
export function encodeTokenCount(tokens: number, estimated: boolean, patch: AnswerPatch): string {
  return `{"totalTokens":${tokens}${estimated ? ',"estimated":true' : ''},"_routing":${patch.routing.json}}`;
}
