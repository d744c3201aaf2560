import type { MediaPart, Part, TextPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import {
  type Candidate,
  type ExchangeResponse,
  isCutOff,
  type TokenLogprob,
} from '../../../domain/exchange/response.ts';
import { standingReport } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { parseAnswerBytes } from '../../shared/json/exact-json.ts';
import { callArguments, candidateIndexes, indexOr } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { audioTypeOf, sniffAudio } from '../shared/audio-names.ts';
import {
  createdOf,
  errorIn,
  failureOfCandidates,
  finishOf,
  idOf,
  type Json,
  rawFinish,
  saysSomethingAtAll,
  tierOf,
} from '../shared/choice-answer.ts';
import { decodeUsage } from '../shared/openai-usage.ts';
import { modelOf } from '../shared/served-as.ts';
import { stateInField } from '../shared/state-token.ts';
import { decodeTokenLogprobs } from '../shared/token-logprobs.ts';
import { citationOf, citationsBeside, mayHaveCitationsBeside, referenceCitation } from './citations.ts';
import { textOfThinking } from './content.decode.ts';
import { locate } from './media.ts';
import { argumentsText } from './messages.decode.ts';
import { googleSignature, type Origin, partOfOwn, partsOfDetails, plainState } from './reasoning.ts';
import { FORMAT } from './schema.ts';

/** Some local servers write the arguments of a call as an object, and not as its text. */
export const OBJECT_ARGUMENTS = /"arguments"\s*:\s*\{/;

/** Decodes a whole chat completion, of OpenAI or of a compatible provider. */
export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const answer = parseAnswerBytes(bytes, OBJECT_ARGUMENTS);
  if (!isRecord(answer)) return bodyNotJson();
  const choices = Array.isArray(answer.choices) ? answer.choices.filter(isRecord) : [];
  const error = errorIn(answer, choices);
  if (error !== null) return error;
  if (!choices.some(saysSomethingAtAll)) return bodyNoAnswer();
  const indexes = candidateIndexes(choices.map(({ index }) => index));
  const candidates = choices.map((choice, position) => {
    return candidateOf(choice, indexes[position] ?? position, answer, source);
  });
  const unanswered = failureOfCandidates(candidates);
  if (unanswered !== null) return unanswered;
  return {
    id: idOf(answer),
    created: createdOf(answer),
    candidates,
    usage: usageOf(answer, source),
    ...tierOf(answer),
    ...modelOf(answer.model),
  };
}

/** Returns the usage of an answer. Groq's streams report it in a separate member. */
export function usageOf(answer: Json, { quirks }: DecodeSource) {
  const beside = quirks.some((quirk) => quirk.kind === 'reasoning-beside-completion');
  const usage = decodeUsage(answer.usage, beside);
  const groq = isRecord(answer.x_groq) ? decodeUsage(answer.x_groq.usage, beside) : null;
  return standingReport(groq, usage);
}

function candidateOf(choice: Json, index: number, answer: Json, source: DecodeSource): Candidate {
  const message = isRecord(choice.message) ? choice.message : isRecord(choice.delta) ? choice.delta : {};
  const raw = rawFinish(choice);
  const said = partsOf(message, answer, source, index);
  const hasCalls = said.some((part) => part.type === 'tool-call');
  const parts = hasCalls && !isCutOff(finishOf(raw, true)) ? said.map(withArguments) : said;
  const logprobs = tokenLogprobs(choice.logprobs);
  return { index, parts, finish: finishOf(raw, hasCalls), ...(logprobs === null ? {} : { logprobs }) };
}

export function indexOf({ index }: Json, position: number): number {
  return indexOr(index, position);
}

function partsOf(message: Json, answer: Json, origin: Origin, candidate: number): Part[] {
  const spoken = isRecord(message.audio) ? message.audio : null;
  const said = contentParts(message.content, origin);
  if (said.length === 0 && typeof spoken?.transcript === 'string' && spoken.transcript !== '') {
    said.push({ type: 'text', text: spoken.transcript });
  }
  const parts: Part[] = reasoningParts(message, origin);
  parts.push(...withCitations(said, message, answer));
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  parts.push(...imagesOf(message.images));
  if (typeof spoken?.data === 'string' && spoken.data !== '') parts.push(audioPart(spoken.data, spoken, origin));
  parts.push(...callsOf(message, idOf(answer) ?? 'answer', candidate, origin));
  return parts;
}

/** Returns a new list. */
function reasoningParts(message: Json, origin: Origin): Part[] {
  const plain = reasoningText(message);
  const items = Array.isArray(message.reasoning_details) ? message.reasoning_details.filter(isRecord) : [];
  if (items.length === 0) {
    return plain === '' ? [] : [{ type: 'reasoning', text: plain, state: plainState(origin) }];
  }
  const parts = partsOfDetails(items, origin);
  if (plain === '' || parts.some((part) => part.text !== '')) return parts;
  const { state } = partOfOwn(items, origin);
  return [{ type: 'reasoning', text: plain, ...(state === undefined ? {} : { state }) }];
}

/**
 * Returns the reasoning text: DeepSeek and most others use `reasoning_content`; OpenRouter, Groq and newer vLLM use `reasoning`.
 */
export function reasoningText({ reasoning_content, reasoning }: Json): string {
  if (typeof reasoning_content === 'string' && reasoning_content !== '') return reasoning_content;
  return typeof reasoning === 'string' ? reasoning : '';
}

/** Reads a text, or Mistral's blocks: reasoning, text, references to sources, images. */
export function contentParts(content: unknown, origin: Origin): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const parts: Part[] = [];
  for (const block of content) {
    if (!isRecord(block)) continue;
    const thought = block.type === 'thinking' ? textOfThinking(block.thinking) : null;
    if (block.type === 'text' && typeof block.text === 'string') {
      if (block.text !== '') parts.push({ type: 'text', text: block.text });
    } else if (thought !== null) {
      if (thought !== '') parts.push({ type: 'reasoning', text: thought, state: plainState(origin) });
    } else if (block.type === 'reference') addReference(parts, block);
    else if (block.type === 'image_url') parts.push(...imagesOf([block]));
    else parts.push({ type: 'unknown', format: FORMAT, value: block });
  }
  return parts;
}

function addReference(parts: Part[], block: Json): void {
  const last = parts.findLastIndex((part) => part.type === 'text');
  const text = parts[last];
  if (text?.type !== 'text') parts.push({ type: 'unknown', format: FORMAT, value: block });
  else parts[last] = { ...text, citations: [...(text.citations ?? []), referenceCitation(block)] };
}

/** Assigns the message's annotations and the sources beside the choices to the answer's last text. */
function withCitations(parts: Part[], message: Json, answer: Json): Part[] {
  const annotations: unknown[] = Array.isArray(message.annotations) ? message.annotations : [];
  if (annotations.length === 0 && !mayHaveCitationsBeside(answer)) return parts;
  const others = annotations.filter((annotation) => citationOf(annotation) === null);
  const citations = annotations.flatMap((annotation) => citationOf(annotation) ?? []);
  if (citations.length === 0) citations.push(...citationsBeside(answer));
  const unknown = others.map((value) => ({ type: 'unknown', format: FORMAT, value }) as const);
  if (citations.length === 0) return [...parts, ...unknown];
  const last = parts.findLastIndex((part) => part.type === 'text');
  const text: Part = parts[last] ?? { type: 'text', text: '' };
  if (text.type !== 'text') return [...parts, ...unknown];
  const cited: TextPart = { ...text, citations: [...(text.citations ?? []), ...citations] };
  return last < 0 ? [...parts, cited, ...unknown] : [...parts.with(last, cited), ...unknown];
}

/** Decodes OpenRouter's `images`: `{type: "image_url", image_url: {url}}`. */
export function imagesOf(images: unknown): MediaPart[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image: unknown) => {
    const value = isRecord(image) ? image.image_url : null;
    const url = isRecord(value) ? value.url : value;
    return typeof url === 'string' && url !== '' ? [{ type: 'image', ...locate(url) } as const] : [];
  });
}

/** Decodes audio. The id is kept as state, because a later turn of the same client refers to the audio by it. */
export function audioPart(data: string, { id, format }: Json, { provider, channel }: Origin): MediaPart {
  const mediaType = typeof format === 'string' && format !== '' ? audioTypeOf(format) : sniffAudio(data);
  const state =
    typeof id === 'string' && id !== ''
      ? { state: { family: 'openai-chat', data: id, provider, channel } as const }
      : {};
  return { type: 'audio', source: { kind: 'base64', data }, mediaType, ...state };
}

/**
 * Completes a call's arguments, which clients parse. A call that was cut off gets none, because otherwise a client would run it.
 */
function withArguments(part: Part): Part {
  return part.type !== 'tool-call' || part.custom ? part : { ...part, arguments: callArguments(part.arguments) };
}

function callsOf(message: Json, answerId: string, candidate: number, origin: Origin): ToolCallPart[] {
  if (message.tool_calls === undefined && message.function_call === undefined) return [];
  const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const wire = calls.filter((call): call is Json => isRecord(call) && isCall(call));
  const old = { function: message.function_call };
  // Servers that support both versions of the API write one call under both members.
  if (wire.length === 0 && isCall(old)) wire.push(old);
  const seen = new Set<string>();
  return wire.map((call, position) => {
    const { name, text, custom } = calledTool(call);
    const state = stateOfCall(call, origin);
    const id = uniqueId(call.id, seen, `${answerId}_${candidate}_${position}`);
    return {
      type: 'tool-call',
      id,
      name: name ?? '',
      arguments: text ?? '',
      ...(custom ? { custom } : {}),
      ...(state === null ? {} : { state }),
    };
  });
}

/** Returns whether a call, or a piece of one, has any content. Servers that always write optional members send empty calls. */
export function isCall(call: Json): boolean {
  const { name, text } = calledTool(call);
  return name !== null || (text !== null && text !== '') || (typeof call.id === 'string' && call.id !== '');
}

const NOTHING: Json = {};

/**
 * Returns the name of the called tool and its arguments, from a call or a streamed piece of one; `null` for each that is missing.
 */
export function calledTool(call: Json) {
  const called = isRecord(call.function) ? call.function : NOTHING;
  // Both members may be present, one of them empty.
  const custom = isRecord(call.custom) && (call.type === 'custom' || !(called.name || called.arguments));
  const said = custom && isRecord(call.custom) ? call.custom : called;
  const given = custom ? said.input : said.arguments;
  return {
    name: typeof said.name === 'string' && said.name !== '' ? said.name : null,
    text: given === undefined || given === null ? null : argumentsText(given),
    custom,
  };
}

/**
 * Returns the upstream's id if it is usable. Gemini's endpoint leaves it empty, and some servers give several calls the same id.
 */
export function uniqueId(id: unknown, seen: Set<string>, place: string): string {
  const isSaid = typeof id === 'string' && id !== '' && id !== 'null';
  const fallback = `call_${place.replace(/[^\w-]/g, '_')}`;
  const wanted = isSaid ? id : fallback;
  const unique = seen.has(wanted) ? fallback : wanted;
  seen.add(unique);
  return unique;
}

export function stateOfCall(call: Json, origin: Origin) {
  const signature = googleSignature(call.extra_content);
  if (signature === null) return null;
  const state = stateInField(signature, 'google');
  return state.provider === null ? { ...state, provider: origin.provider, channel: origin.channel } : state;
}

/** Returns `logprobs.content`; `null` if it is absent. */
export function tokenLogprobs(logprobs: unknown): readonly TokenLogprob[] | null {
  const tokens = decodeTokenLogprobs(isRecord(logprobs) ? logprobs.content : null);
  return tokens.length === 0 ? null : tokens;
}
