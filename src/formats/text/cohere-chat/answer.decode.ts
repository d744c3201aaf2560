import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Citation, Part } from '../../../domain/exchange/part.ts';
import type { ExchangeResponse, Finish, FinishReason, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { callArguments, countOrNull, nonEmptyText, saysSomething, textOrEmpty } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { TextOffsets } from '../shared/text-offsets.ts';
import { FORMAT, indexOfDocument, THINKING, TOOL_PLAN } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns a whole answer of POST /v2/chat. */
export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const body = parseJsonBytes(bytes);
  if (!isRecord(body)) return bodyNotJson();
  const failure = failureOfFinish(body.finish_reason, body);
  if (failure !== null) return failure;
  if (!isRecord(body.message)) return failureInAnswer(body.message) ?? bodyNoAnswer();
  const parts = decodeMessage(body.message, source);
  const hasCalls = parts.some((part) => part.type === 'tool-call');
  const logprobs = Array.isArray(body.logprobs) ? body.logprobs.flatMap(decodeLogprobs) : [];
  return {
    id: nonEmptyText(body.id),
    created: null,
    candidates: [
      {
        index: 0,
        parts,
        finish: decodeFinish(body.finish_reason, hasCalls),
        ...(logprobs.length === 0 ? {} : { logprobs }),
      },
    ],
    usage: decodeUsage(body.usage),
  };
}

// ---- usage and the end

/**
 * Reads usage. Cohere charges for `billed_units`. The `tokens` next to them also count the hidden preamble (about 500 tokens for
 * a one-word prompt, recorded). `cached_tokens` are a part of `tokens` and have no separate price. Both are used only if there
 * are no billed units. Images are included in the billed input, but are separate from the text in `tokens`. Returns `null` if the
 * object holds no counts.
 */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const billed = isRecord(value.billed_units) ? value.billed_units : {};
  const tokens = isRecord(value.tokens) ? value.tokens : {};
  const hasBilled = countOrNull(billed.input_tokens) !== null || countOrNull(billed.output_tokens) !== null;
  // Billed units of zero are not a bill if there are real counts.
  const isBilled = hasBilled && (saysSomething(billed) || !saysSomething(tokens));
  const counts = isBilled ? billed : tokens;
  const input = countOrNull(counts.input_tokens);
  const output = countOrNull(counts.output_tokens);
  if (input === null && output === null) return null;
  const image = countOrNull(tokens.image_tokens) ?? 0;
  const imageInside = isBilled ? Math.min(image, input ?? 0) : 0;
  const cached = isBilled ? 0 : Math.min(countOrNull(value.cached_tokens) ?? 0, input ?? 0);
  const reasoning = Math.min(countOrNull(tokens.reasoning_tokens) ?? 0, output ?? 0);
  return {
    input: (input ?? 0) - imageInside - cached,
    cachedInput: cached,
    cacheWrite: 0,
    ...(image === 0 ? {} : { inputImage: isBilled ? imageInside : image }),
    output: (output ?? 0) - reasoning,
    reasoning,
    source: 'reported',
    raw: value,
  };
}

const FINISHES: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
};

export function decodeFinish(reason: unknown, hasCalls: boolean): Finish {
  const raw = nonEmptyText(reason);
  const unified = raw === null ? 'stop' : (entryOf(FINISHES, raw) ?? 'other');
  return { unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified, raw };
}

/** Returns the failure of an answer that ended in an error. Cohere reports the error as the finish reason. */
export function failureOfFinish(reason: unknown, { error, error_type: type }: Members): Failure | null {
  if (reason === 'TIMEOUT') {
    return new Failure('timeout_error', {
      kind: 'error_in_200',
      message: 'The provider timed out during the response.',
    });
  }
  if (reason !== 'ERROR') return null;
  const said = typeof error === 'string' && error !== '' ? `: ${cleanMessage(error)}` : '';
  const name = typeof type === 'string' && /^[A-Z_]{1,64}$/.test(type) ? ` (${type})` : '';
  const message = `The provider failed during the response${name}${said}`;
  return new Failure('upstream_error', { kind: 'error_in_200', message });
}

/** Returns the log probability of each token in one piece of the answer. */
export function decodeLogprobs(value: unknown): TokenLogprob[] {
  if (!isRecord(value) || !Array.isArray(value.logprobs)) return [];
  const numbers = value.logprobs.filter((item: unknown) => typeof item === 'number');
  if (numbers.length === 0) return [];
  const logprob = numbers.reduce((sum, item) => sum + item, 0);
  return [{ token: typeof value.text === 'string' ? value.text : '', logprob, bytes: null, top: [] }];
}

// ---- the message

function decodeMessage(message: Members, source: DecodeSource): Part[] {
  const content: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const citations = Array.isArray(message.citations) ? message.citations.filter(isRecord) : [];
  // A citation that does not state its text block belongs to the first one.
  const firstText = content.findIndex((block) => isRecord(block) && nonEmptyText(block.text) !== null);
  const parts = content.flatMap((block, index): Part[] => {
    const own = citations.filter(isOfText).filter(({ content_index: at }) => (countOrNull(at) ?? firstText) === index);
    return decodeBlock(block, own, source);
  });
  if (typeof message.content === 'string' && message.content !== '') {
    parts.push(...decodeBlock({ type: 'text', text: message.content }, citations.filter(isOfText), source));
  }
  const plan = message.tool_plan;
  if (typeof plan === 'string' && plan !== '') {
    parts.push({ type: 'reasoning', text: plan, state: stateOf(TOOL_PLAN, source) });
  }
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [...parts, ...calls.flatMap((call, index) => decodeToolCall(call, index))];
}

/**
 * Returns whether a citation belongs to the answer's text. Plans and reasoning are cited too, but the canonical form has no place for
 * that.
 */
export function isOfText(citation: Members): boolean {
  return !citation.type || citation.type === 'TEXT_CONTENT';
}

export function stateOf(data: string, { provider, channel }: DecodeSource): OpaqueState {
  return { family: 'cohere', data, provider, channel };
}

function decodeBlock(block: unknown, citations: readonly Members[], source: DecodeSource): Part[] {
  if (!isRecord(block)) return [];
  if (typeof block.thinking === 'string' && (block.thinking !== '' || typeof block.text !== 'string')) {
    return block.thinking === '' ? [] : [{ type: 'reasoning', text: block.thinking, state: stateOf(THINKING, source) }];
  }
  const { text } = block;
  if (typeof text !== 'string') return [{ type: 'unknown', format: FORMAT, value: block }];
  if (text === '') return [];
  const offsets = new TextOffsets(text);
  const decoded = citations.flatMap((citation) => decodeCitation(citation, offsets));
  return [{ type: 'text', text, ...(decoded.length === 0 ? {} : { citations: decoded }) }];
}

function decodeToolCall(call: unknown, index: number): Part[] {
  if (!isRecord(call) || !isRecord(call.function) || !saysSomething(call)) return [];
  const { name, arguments: text } = call.function;
  const id = typeof call.id === 'string' && call.id !== '' ? call.id : `call_${index}`;
  return [{ type: 'tool-call', id, name: textOrEmpty(name), arguments: callArguments(textOrEmpty(text)) }];
}

/** Returns one citation for each source. `offsets` are those of the answer's text that the citation points into. */
export function decodeCitation(value: Members, offsets: TextOffsets): Citation[] {
  const span = spanOf(value, offsets);
  const sources = Array.isArray(value.sources) ? value.sources.filter(isRecord) : [];
  const raw = { format: FORMAT, value };
  if (sources.length === 0) {
    return [{ url: null, title: null, citedText: null, ...span, documentIndex: null, raw }];
  }
  return sources.map((source) => {
    const document = isRecord(source.document) ? source.document : {};
    const cited = nonEmptyText(document.text) ?? nonEmptyText(document.snippet) ?? nonEmptyText(document.content);
    const output = !saysSomething(source.tool_output) ? null : JSON.stringify(source.tool_output);
    return {
      url: nonEmptyText(document.url),
      title: nonEmptyText(document.title),
      citedText: cited ?? output,
      ...span,
      documentIndex: indexOfDocument(source.id),
      raw,
    };
  });
}

/**
 * Returns the span of a citation. Cohere counts characters; where these differ from UTF-16 code units, the position is found by
 * the cited text.
 */
function spanOf(
  { start, end, text: cited }: Members,
  offsets: TextOffsets,
): { start: number | null; end: number | null } {
  const from = countOrNull(start);
  const to = countOrNull(end);
  if (from === null || to === null) return { start: null, end: null };
  const { text } = offsets;
  if (typeof cited !== 'string' || text.slice(from, to) === cited) return { start: from, end: to };
  const before = offsets.ofCharacters(from);
  const after = offsets.ofCharacters(to);
  return text.slice(before, after) === cited ? { start: before, end: after } : { start: from, end: to };
}
