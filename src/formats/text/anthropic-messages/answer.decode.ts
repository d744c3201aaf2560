import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import type { ExchangeResponse, Finish, FinishReason } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { exactOf, jsonOf, parseAnswerBytes } from '../../shared/json/exact-json.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText, textOrEmpty, textOrNull } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { withSearches } from '../shared/openai-usage.ts';
import { modelOf } from '../shared/served-as.ts';
import { stateInField } from '../shared/state-token.ts';
import { decodeCitation } from './citations.ts';
import { errorStatus } from './failure.ts';
import { FORMAT } from './schema.ts';
import { decodeUsage, tierOf } from './usage.ts';

type Wire = Readonly<Record<string, unknown>>;

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

export function isCall({ type }: Part): boolean {
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

/** Returns the number in the answer to a count request. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseJsonBytes(bytes);
  const tokens = isRecord(body) ? body.input_tokens : null;
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : null;
}
