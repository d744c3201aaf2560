import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type {
  Citation,
  MediaPart,
  Part,
  ReasoningPart,
  ToolCallPart,
  UnknownPart,
} from '../../../domain/exchange/part.ts';
import type { ExchangeResponse, Finish, FinishReason } from '../../../domain/exchange/response.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { exactOf, jsonOf, parseAnswerBytes } from '../../shared/json/exact-json.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { countOrNull, nonEmptyText, saysSomething } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { encryptedDetails } from './content.encode.ts';
import { FORMAT, mediaTypeOf } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

const CALLS = /"toolUse"/;

/** Returns a whole answer of POST /model/{id}/converse. It has no id, no date, and one candidate. */
export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const body = parseAnswerBytes(bytes, CALLS);
  if (!isRecord(body)) return bodyNotJson();
  const message = isRecord(body.output) && isRecord(body.output.message) ? body.output.message : null;
  if (message === null) return failureInAnswer(body.message) ?? bodyNoAnswer();
  const blocks: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const parts = blocks.flatMap((block) => decodeBlock(block, source));
  const hasCalls = parts.some((part) => part.type === 'tool-call');
  const failed = failedGeneration(body.stopReason, parts.length > 0);
  if (failed !== null) return failed;
  const finish = decodeFinish(body.stopReason, body.additionalModelResponseFields, hasCalls);
  return {
    id: null,
    created: null,
    candidates: [{ index: 0, parts, finish }],
    usage: decodeUsage(body.usage),
    serviceTier: serviceTierOf(body),
  };
}

/** Returns the prompt's tokens in the answer to a count request; `null` if it does not state them. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseJsonBytes(bytes);
  return isRecord(body) && typeof body.inputTokens === 'number' ? body.inputTokens : null;
}

export function serviceTierOf(body: Members): string | null {
  return isRecord(body.serviceTier) ? nonEmptyText(body.serviceTier.type) : null;
}

/**
 * Reads usage. Cached tokens are not included in `inputTokens` (a recorded answer has 0 input tokens and 27 from the cache, with
 * a total that is the sum of all). Reasoning is included in `outputTokens`. Returns `null` if the object holds no counts.
 */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = countOrNull(value.inputTokens);
  const output = countOrNull(value.outputTokens);
  if (input === null && output === null) return null;
  const written = countOrNull(value.cacheWriteInputTokens) ?? 0;
  const writtenForAnHour = Math.min(written, tokensWrittenFor('1h', value.cacheDetails));
  return {
    input: input ?? 0,
    cachedInput: countOrNull(value.cacheReadInputTokens) ?? 0,
    cacheWrite: written - writtenForAnHour,
    ...(writtenForAnHour > 0 ? { cacheWrite1h: writtenForAnHour } : {}),
    output: output ?? 0,
    reasoning: 0,
    source: 'reported',
    raw: value,
  };
}

function tokensWrittenFor(ttl: string, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  const matching = details.filter((detail: unknown) => isRecord(detail) && detail.ttl === ttl);
  return matching.reduce((sum: number, detail: Members) => sum + (countOrNull(detail.inputTokens) ?? 0), 0);
}

// ---- blocks

function decodeBlock(block: unknown, source: DecodeSource): Part[] {
  if (!isRecord(block)) return [];
  if (typeof block.text === 'string' && block.text !== '') return [{ type: 'text', text: block.text }];
  if (!saysSomething(block)) return [];
  const { reasoningContent, toolUse, citationsContent } = block;
  if (isRecord(reasoningContent) && saysSomething(reasoningContent))
    return [decodeReasoning(reasoningContent, source) ?? unknownPart(block)];
  if (isRecord(toolUse) && saysSomething(toolUse)) return [decodeToolUse(toolUse) ?? unknownPart(block)];
  if (isRecord(citationsContent) && saysSomething(citationsContent)) return decodeCitations(citationsContent);
  return [decodeMedia(block) ?? unknownPart(block)];
}

export function unknownPart(value: unknown): UnknownPart {
  return { type: 'unknown', format: FORMAT, value: exactOf(value) };
}

function decodeReasoning(content: Members, source: DecodeSource): ReasoningPart | null {
  if (typeof content.redactedContent === 'string' && content.redactedContent !== '') {
    return { type: 'reasoning', text: '', redacted: true, state: redactedState(content.redactedContent, source) };
  }
  const { reasoningText } = content;
  if (!isRecord(reasoningText) || typeof reasoningText.text !== 'string') return null;
  return { type: 'reasoning', text: reasoningText.text, state: signatureState(reasoningText.signature, source) };
}

/** Returns the state of reasoning. Only Claude signs it; the reasoning text of other models has only its origin as state. */
export function signatureState(signature: unknown, { provider, channel }: DecodeSource): OpaqueState {
  if (typeof signature === 'string' && signature !== '') {
    return { family: 'anthropic', data: signature, provider, channel };
  }
  return { family: 'openai-chat', data: '', provider, channel };
}

/**
 * Returns the state of encrypted reasoning. It counts as Claude's unless a quirk states that these models take other details back
 * (the GPT models at Bedrock), because another vendor's state must never be sent to Claude.
 */
export function redactedState(data: string, { provider, channel, quirks }: DecodeSource): OpaqueState {
  const isOther = quirks.some((quirk) => quirk.kind === 'reasoning-input' && quirk.field === 'reasoning_details');
  if (isOther) return { family: 'openai-chat', data: encryptedDetails(data), provider, channel };
  return { family: 'anthropic', data, provider, channel };
}

/** Returns `null` for a call that the provider itself runs. */
function decodeToolUse({ toolUseId, name, input, type }: Members): ToolCallPart | null {
  if (typeof toolUseId !== 'string' || toolUseId === '' || typeof name !== 'string' || type === 'server_tool_use')
    return null;
  return { type: 'tool-call', id: toolUseId, name, arguments: jsonOf(input ?? {}) };
}

function decodeCitations({ content, citations }: Members): Part[] {
  const text = textsOf(content);
  const decoded = Array.isArray(citations) ? citations.filter(isRecord).map(decodeCitation) : [];
  if (text === '' && decoded.length === 0) return [];
  const spans = decoded.map((citation) => ({ ...citation, start: 0, end: text.length }));
  return [{ type: 'text', text, citations: spans }];
}

/** Returns a citation of the whole text block that contains it. The caller determines the span of the block. */
export function decodeCitation(value: Members): Citation {
  const locations = isRecord(value.location) ? Object.values(value.location).filter(isRecord) : [];
  const location = locations.find(saysSomething) ?? locations[0];
  const url = location?.url ?? value.source;
  const citedText = textsOf(value.sourceContent);
  return {
    url: typeof url === 'string' && URL.canParse(url) ? url : null,
    // The source of a search result may be any name that the client has chosen.
    title: nonEmptyText(value.title) ?? nonEmptyText(url),
    citedText: citedText === '' ? null : citedText,
    start: null,
    end: null,
    documentIndex: countOrNull(location?.documentIndex),
    raw: { format: FORMAT, value },
  };
}

function textsOf(list: unknown): string {
  if (!Array.isArray(list)) return '';
  return list.map((item: unknown) => (isRecord(item) && typeof item.text === 'string' ? item.text : '')).join('');
}

const MEDIA_KINDS = ['image', 'audio', 'video', 'document'] as const;

/** Returns an image or other media that the model made; `null` if the block holds none. */
function decodeMedia(block: Members): MediaPart | null {
  const kind = MEDIA_KINDS.find((name) => saysSomething(block[name]));
  const medium = kind === undefined ? undefined : block[kind];
  if (kind === undefined || !isRecord(medium) || !isRecord(medium.source)) return null;
  const { bytes, s3Location } = medium.source;
  const mediaType = typeof medium.format === 'string' ? mediaTypeOf(kind, medium.format) : null;
  const title = typeof medium.name === 'string' ? { title: medium.name } : {};
  if (typeof bytes === 'string' && bytes !== '')
    return { type: kind, source: { kind: 'base64', data: bytes }, mediaType, ...title };
  if (!isRecord(s3Location) || typeof s3Location.uri !== 'string') return null;
  return { type: kind, source: { kind: 'url', url: s3Location.uri }, mediaType, ...title };
}

/** The meanings of an answer's `stopReason` (Bedrock API reference, "Converse", response elements). */
const ANSWERED: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
};

/** Why a generation failed, in the words of the client's error message. */
const FAILED: Readonly<Record<string, string>> = {
  malformed_model_output: 'The model wrote an invalid response.',
  malformed_tool_use: 'The model wrote an invalid tool call.',
};

/**
 * Returns the failure of a failed answer. An undocumented reason is a failure only without content: it may be a new name for a regular
 * end.
 */
export function failedGeneration(stopReason: unknown, hasContent: boolean): Failure | null {
  const raw = nonEmptyText(stopReason);
  if (raw === null || entryOf(ANSWERED, raw) !== undefined) return null;
  const told = entryOf(FAILED, raw);
  if (told === undefined && hasContent) return null;
  return new Failure('upstream_error', {
    kind: 'failed_generation',
    message: `The upstream returned no response (${raw.slice(0, 60)}): ${told ?? 'The model stopped without a response.'}`,
  });
}

/**
 * Returns the finish reason. Some models end with `end_turn` although they call tools. `additional` has Claude's `stop_sequence`
 * if the request asked for it; in a stream it is below `delta`.
 */
export function decodeFinish(stopReason: unknown, additional: unknown, hasCalls: boolean): Finish {
  const raw = nonEmptyText(stopReason);
  const fields = isRecord(additional) ? additional : {};
  const inDelta = isRecord(fields.delta) ? fields.delta.stop_sequence : undefined;
  const stopSequence = fields.stop_sequence ?? inDelta;
  const unified = raw === null ? 'stop' : (entryOf(ANSWERED, raw) ?? 'other');
  return {
    unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified,
    raw,
    ...(typeof stopSequence === 'string' && stopSequence !== '' ? { stopSequence } : {}),
  };
}
