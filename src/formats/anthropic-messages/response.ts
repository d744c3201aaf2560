import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { Part } from '../../domain/exchange/part.ts';
import type { ExchangeResponse, Finish, FinishReason } from '../../domain/exchange/response.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerContext, AnswerPatch, DecodeSource } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { stateForField, stateInField } from '../shared/state-token.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import { decodeCitation, encodeCitation } from './citations.ts';
import { FORMAT } from './endpoints.ts';
import { errorStatus, notAnAnswer, notJson } from './failure.ts';
import { decodeUsage, encodeUsage } from './usage.ts';

type Wire = Readonly<Record<string, unknown>>;

// ---- from the upstream

export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const body = parse(bytes);
  if (!isRecord(body)) return notJson();
  if (!Array.isArray(body.content)) {
    if (body.error === undefined || body.error === null) return notAnAnswer();
    return decodeFailure(errorStatus(body.error), new Headers(), bytes);
  }
  const parts = body.content.map((block: unknown) => decodeBlock(block, source));
  return {
    id: textOf(body.id),
    created: null,
    candidates: [{ index: 0, parts, finish: decodeFinish(body.stop_reason, body.stop_sequence) }],
    usage: decodeUsage(body.usage),
    ...(isRecord(body.usage) && typeof body.usage.service_tier === 'string'
      ? { serviceTier: body.usage.service_tier }
      : {}),
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function decodeBlock(value: unknown, source: DecodeSource): Part {
  const block: Wire = isRecord(value) ? value : {};
  switch (block.type) {
    case 'text': {
      const citations = Array.isArray(block.citations) ? block.citations.map(decodeCitation) : [];
      return { type: 'text', text: textOf(block.text) ?? '', ...(citations.length === 0 ? {} : { citations }) };
    }
    case 'thinking':
      return { type: 'reasoning', text: textOf(block.thinking) ?? '', ...issuedState(block.signature, source) };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: true, ...issuedState(block.data, source) };
    case 'tool_use':
      return {
        type: 'tool-call',
        id: String(block.id),
        name: String(block.name),
        arguments: JSON.stringify(block.input ?? {}),
      };
    default:
      return { type: 'unknown', format: FORMAT, value };
  }
}

/** The state in a signature or in a redacted block, with its origin; nothing where the field is empty. */
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

export function decodeFinish(stopReason: unknown, stopSequence: unknown): Finish {
  const raw = textOf(stopReason);
  return {
    unified: raw === null ? 'other' : (FINISHES[raw] ?? 'other'),
    raw,
    ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
  };
}

// ---- to the client

/** The message as JSON text. Only the first candidate has a place; what the model drew or spoke has none. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const [candidate] = response.candidates;
  const parts = candidate?.parts ?? [];
  const finish = candidate?.finish ?? { unified: 'other', raw: null };
  const words = stopWords(finish, {
    hasCalls: parts.some(({ type }) => type === 'tool-call'),
    hasRefusal: parts.some(({ type }) => type === 'refusal'),
  });
  const head = JSON.stringify({
    id: answerId(response.id, context),
    type: 'message',
    role: 'assistant',
    model: context.publicModel,
  });
  const content = parts.flatMap(encodeBlocks).join(',');
  const usage = encodeUsage(response.usage, response.serviceTier ?? null);
  return `${head.slice(0, -1)},"content":[${content}],${words},"container":null,"usage":${usage},"_routing":${context.routingJson}}`;
}

/** Anthropic's ids begin with `msg_`; another provider's id is replaced, since clients may look at the prefix. */
export function answerId(id: string | null, context: AnswerContext): string {
  return id?.startsWith('msg_') ? id : context.newId('msg_');
}

/** Blocks as JSON texts; state that its part has no place for goes before it as a redacted block. */
function encodeBlocks(part: Part): string[] {
  switch (part.type) {
    case 'text': {
      if (part.text === '' && part.citations === undefined) return carrier(part.state);
      const citations = part.citations?.map(encodeCitation).filter((citation) => citation !== null) ?? [];
      const block = { type: 'text', text: part.text, citations: citations.length === 0 ? null : citations };
      return [...carrier(part.state), JSON.stringify(block)];
    }
    case 'reasoning': {
      if (part.redacted && part.text === '') return carrier(part.state);
      const signature = part.state === undefined ? '' : stateForField(part.state, 'anthropic');
      return [JSON.stringify({ type: 'thinking', thinking: part.text, signature })];
    }
    case 'tool-call':
      return [...carrier(part.state), `${callHead(part.id, part.name)},"input":${argumentsJson(part.arguments)}}`];
    case 'refusal':
      return part.text === '' ? [] : [JSON.stringify({ type: 'text', text: part.text, citations: null })];
    case 'unknown':
      return part.format === FORMAT ? [JSON.stringify(part.value)] : [];
    default:
      return [];
  }
}

function carrier(state: OpaqueState | undefined): string[] {
  return state === undefined ? [] : [redactedBlock(state)];
}

export function redactedBlock(state: OpaqueState): string {
  return `{"type":"redacted_thinking","data":${JSON.stringify(stateForField(state, 'anthropic'))}}`;
}

/** The members of a call but for its input, and no closing brace. */
export function callHead(id: string, name: string): string {
  const head = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  return JSON.stringify(head).slice(0, -1);
}

/** The wire has an object here. What is none is kept as a text within one: the client sees what the model wrote. */
export function argumentsJson(text: string): string {
  if (text.trim() === '') return '{}';
  return isJsonObject(text) ? text : JSON.stringify({ arguments: text });
}

export function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
};

/** `stop_reason`, `stop_sequence` and `stop_details` as JSON members. */
export function stopWords(
  finish: Finish,
  { hasCalls, hasRefusal }: { hasCalls: boolean; hasRefusal: boolean },
): string {
  const sequence = finish.stopSequence ?? null;
  return `"stop_reason":${JSON.stringify(stopReason(finish, sequence, hasCalls, hasRefusal))},"stop_sequence":${JSON.stringify(sequence)},"stop_details":null`;
}

function stopReason({ raw, unified }: Finish, sequence: string | null, hasCalls: boolean, hasRefusal: boolean): string {
  if (raw !== null && raw in FINISHES) return raw;
  if (hasRefusal) return 'refusal';
  if (unified === 'stop' && hasCalls) return 'tool_use';
  return unified === 'stop' && sequence !== null ? 'stop_sequence' : STOP_REASONS[unified];
}

/** The answer to a count, with a mark where the number is the gateway's own guess. */
export function encodeTokenCount(tokens: number, estimated: boolean, { routingJson }: AnswerPatch): string {
  return `{"input_tokens":${tokens}${estimated ? ',"estimated":true' : ''},"_routing":${routingJson}}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The number in the answer to a count. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parse(bytes);
  const tokens = isRecord(body) ? body.input_tokens : null;
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : null;
}
