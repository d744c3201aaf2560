import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, Part, ToolCallPart } from '../../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse, Finish, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { failedGeneration, meaningOfReason, NUMBERED_REASONS } from '../../shared/failure/google-finish.ts';
import { jsonOf, parseAnswerBytes } from '../../shared/json/exact-json.ts';
import {
  candidateIndexes,
  countOrNull,
  indexOr,
  nonEmptyText,
  saysSomething,
  textOrNull,
} from '../../shared/json/json-values.ts';
import { addMembers, isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { modelOf } from '../shared/served-as.ts';
import { webSearchesOf, withCitations } from './citations.ts';
import {
  enumName,
  errorOf,
  fingerprint,
  MADE_UP_ID,
  memberOf,
  numberOf,
  standardBase64,
  type WireObject,
} from './decoding.ts';
import { decodeFailure } from './failure.ts';
import { FORMAT } from './schema.ts';
import { decodeUsage, serviceTierOf } from './usage.ts';

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

/** Returns the prompt's tokens in the answer to a count request; `null` if it does not state them. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseAnswer(bytes);
  return body === null ? null : countOrNull(numberOf(memberOf(body, 'totalTokens')));
}

/** Returns the name of a candidate's `finishReason`; `null` while the candidate continues. */
export function finishReasonOf(candidate: WireObject): string | null {
  const name = enumName(memberOf(candidate, 'finishReason'), NUMBERED_REASONS);
  return name === 'FINISH_REASON_UNSPECIFIED' ? null : name;
}

/** How one candidate ended. */
export interface CandidateEnd {
  readonly raw: string | null;
  readonly message: unknown;
  /** Whether the candidate has any content. */
  readonly hasContent: boolean;
}

/**
 * Returns a failure if no candidate is an answer. An undocumented reason is a failure only without content: it may be a new name for a
 * regular end. One answer among several candidates is enough, because the client asked for all of them at once.
 */
export function failedCandidates(ends: readonly CandidateEnd[]): Failure | null {
  const [first] = ends;
  return first === undefined || ends.some((end) => !isFailed(end))
    ? null
    : failedGeneration(first.raw ?? '', first.message);
}

/** Returns whether a candidate with this reason is an answer, complete or not; `false` while it continues. */
export function isAnswer(raw: string | null): boolean {
  const meaning = raw === null ? undefined : meaningOfReason(raw);
  return meaning !== undefined && meaning !== 'failed';
}

function isFailed({ raw, hasContent }: CandidateEnd): boolean {
  if (raw === null) return false;
  const meaning = meaningOfReason(raw);
  return meaning === 'failed' || (meaning === undefined && !hasContent);
}

/** Returns the finish reason; a failed candidate next to a successful one is reported as cut short. */
export function decodeFinish(raw: string | null, hasCalls: boolean): Finish {
  const meaning = raw === null ? 'stop' : (meaningOfReason(raw) ?? 'other');
  const unified = meaning === 'failed' ? 'length' : meaning;
  return { unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified, raw };
}

/** BlockedReason in the order of its numbers. */
const BLOCK_REASONS = [
  'BLOCK_REASON_UNSPECIFIED',
  'SAFETY',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'IMAGE_SAFETY',
];

interface PromptBlock {
  readonly reason: string;
  readonly message: string;
}

/** Returns why the prompt itself was refused, with the API's message; `null` if it was not. */
export function promptBlock(answer: WireObject): PromptBlock | null {
  const feedback = memberOf(answer, 'promptFeedback');
  if (!isRecord(feedback)) return null;
  const reason = enumName(memberOf(feedback, 'blockReason'), BLOCK_REASONS);
  if (reason === null || reason === 'BLOCK_REASON_UNSPECIFIED') return null;
  const said = memberOf(feedback, 'blockReasonMessage');
  return { reason, message: typeof said === 'string' && said !== '' ? said : `The prompt was blocked: ${reason}.` };
}

/** Decodes `logprobsResult`: the chosen token of each step, and the most likely ones. */
export function decodeLogprobs(candidate: WireObject): readonly TokenLogprob[] | undefined {
  const result = memberOf(candidate, 'logprobsResult');
  if (!isRecord(result)) return undefined;
  const chosen = memberOf(result, 'chosenCandidates');
  const top = memberOf(result, 'topCandidates');
  if (!Array.isArray(chosen) || chosen.length === 0) return undefined;
  return chosen.map((entry, index) => {
    const step = Array.isArray(top) && isRecord(top[index]) ? top[index].candidates : null;
    return { ...tokenOf(entry), top: Array.isArray(step) ? step.map(tokenOf) : [] };
  });
}

function tokenOf(entry: unknown): Omit<TokenLogprob, 'top'> {
  const record = isRecord(entry) ? entry : {};
  const token = typeof record.token === 'string' ? record.token : '';
  return { token, logprob: numberOf(memberOf(record, 'logProbability')) ?? 0, bytes: null };
}
