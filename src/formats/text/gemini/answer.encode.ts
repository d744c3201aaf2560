import { endingInText, type Foundation, FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, Part, ReasoningPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import type {
  Candidate,
  ExchangeResponse,
  Finish,
  FinishReason,
  TokenLogprob,
} from '../../../domain/exchange/response.ts';
import { isGoogleReason } from '../../shared/failure/google-finish.ts';
import { exactObject } from '../../shared/json/exact-json.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { AnswerPatch } from '../../wire.ts';
import type { AnswerContext } from '../client-request.ts';
import { stateForField, wrapFoundation } from '../shared/state-token.ts';
import { encodeCitations, type PlacedCitation } from './citations.ts';
import type { WireObject } from './decoding.ts';
import { DEFAULT_TYPES } from './media.ts';
import { FORMAT } from './schema.ts';
import { queriesOf } from './search.ts';
import { encodeUsage } from './usage.ts';

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
  const queries: string[] = [];
  const wire: WireObject[] = [];
  const foundations = new FoundationCollector();
  for (const part of endingInText(parts)) {
    if (part.type === 'text') foundations.said(foreign(part.state), part.text.length);
    if (part.type === 'reasoning' && !isOwnThought(part, isShown)) {
      foundations.thought(part);
      if (!isShown || part.text === '') continue;
    }
    const searched = part.type === 'unknown' ? queriesOf(part) : null;
    if (searched !== null) {
      queries.push(...searched);
      continue;
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
    ...encodeCitations(placed, queries),
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

/** Returns the answer to a count request. The API has no member that marks an estimate, so one is added. */
export function encodeTokenCount(tokens: number, estimated: boolean, patch: AnswerPatch): string {
  return `{"totalTokens":${tokens}${estimated ? ',"estimated":true' : ''},"_routing":${patch.routing.json}}`;
}

const WORD_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  // Gemini sends STOP for a turn that ends in function calls.
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
};

export function encodeFinish({ unified, raw }: Finish): string {
  return raw !== null && isGoogleReason(raw) ? raw : WORD_OF[unified];
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): WireObject {
  const encode = ({ token, logprob }: { readonly token: string; readonly logprob: number }) => ({
    token,
    logProbability: logprob,
  });
  return {
    chosenCandidates: logprobs.map(encode),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encode) })),
  };
}
