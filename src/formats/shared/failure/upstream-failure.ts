import { Failure, type FailureDetails } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { parseJson } from '../json/json-text.ts';
import { isRecord, objectOf } from '../json/record.ts';
import { durationMs } from '../rate-limits/duration.ts';
import { cleanMessage } from './clean-message.ts';
import { errorDetails } from './error-details.ts';
import { LACKS_ABILITY, OBJECT_NOT_ACCESSIBLE, type Refusal, refusalOf, type UpstreamError } from './refusal.ts';

/*
 * Reads upstreams' error responses. One reader serves all, because every vendor's envelope is also used by imitators of another.
 */

const EXAMINED_BYTES = 262_144;
const MAX_DEPTH = 6;

const DEFAULT_RATE_LIMIT_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 86_400_000;

/**
 * Returns an upstream's error response as a failure. A 4xx about the channel (its key, its quota, its model name) is never the
 * client's fault, so it becomes an `upstream_error`, which another channel may not have. One about a file or a cache that the
 * request names is the client's fault, but another channel may have that file.
 */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const error = readError(bytes);
  const said = error.message === '' ? '' : `: ${error.message}`;
  const refusal = refusalOf(status, error, headers);
  if (refusal !== null) return refused(refusal, status, error, said);
  if (status === 400 || status === 413 || status === 422) return refusedRequest(status, error);
  // LM Studio and llama.cpp answer 500 to a prompt that is too long. On a 429, such words are about tokens per minute.
  if (status !== 429 && !error.isPage && saysTooLong(error)) return refusedRequest(status, error);
  if (status === 429) {
    return new Failure('rate_limit_exceeded', {
      message: `The provider's rate limit was reached${said}`,
      retryAfterMs: waitMs(headers, error.message) ?? DEFAULT_RATE_LIMIT_WAIT_MS,
      hint: 'Wait for retry_after seconds, then send the request again',
    });
  }
  const wait = waitMs(headers, '');
  const retryAfter = wait === undefined ? {} : { retryAfterMs: wait };
  const kind = `http_${status}`;
  if (status === 408 || status === 504 || status === 524) {
    return new Failure('timeout_error', {
      message: `The provider timed out (HTTP ${status})${said}`,
      kind,
      ...retryAfter,
    });
  }
  const retry = status >= 500 && wait === undefined ? 'same-target' : 'other-target';
  return new Failure('upstream_error', {
    message: `The provider failed (HTTP ${status})${said}`,
    kind,
    retry,
    ...retryAfter,
    // Says which object is missing.
    ...(status === 404 && error.details !== null ? { upstreamDetails: error.details } : {}),
  });
}

const CONTEXT_CODES = new Set(['context_length_exceeded', 'exceed_context_size_error']);
const CONTEXT_TEXTS: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, vLLM, OpenRouter; xAI; Together's newer servers.
  /maximum (?:context|prompt|model|input|sequence) length (?:is|of)\b/i,
  // Mistral: "Prompt contains 65673 tokens …, too large for model with 32768 maximum context length".
  /too large for model with \d+ maximum context length/i,
  // Anthropic: "prompt is too long: 208310 tokens > 200000 maximum", and with `max_tokens` counted in.
  /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i,
  // llama.cpp, Ollama, LM Studio.
  /exceeds? the (?:available )?context (?:size|length)|greater than the context length|context (?:the )?overflows|context (?:size|length|window) (?:has been|was) exceeded/i,
  // llama.cpp, for embeddings and reranking; SGLang.
  /input (?:\(\d+ tokens\) )?is too large to process|longer than the model.s context length/i,
  // Together, Hugging Face TGI: "`inputs` tokens + `max_new_tokens` must be <= 4097".
  /`inputs` (?:tokens \+ `max_new_tokens` )?must (?:be|have)\b/i,
  // Groq, Cerebras.
  /reduce the length of the (?:messages|prompt)/i,
  // Gemini; Bedrock; Moonshot; Z.ai; Alibaba; MiniMax.
  /input token count .{0,40}exceeds the maximum/i,
  /input is too long for requested model/i,
  /exceeded model token limit|prompt exceeds max length|range of input length should be|context window exceeds limit/i,
];

function refusedRequest(status: number, error: UpstreamError): Failure {
  const message =
    error.message === '' ? `The provider refused the request without giving a reason (HTTP ${status})` : error.message;
  const param: Pick<FailureDetails, 'param'> = error.param === null ? {} : { param: error.param };
  if (saysTooLong(error)) return new Failure('context_length_exceeded', { message, ...param });
  if (status === 413) return new Failure('payload_too_large', { message, ...param });
  const publicCode = error.code === null ? {} : { publicCode: error.code };
  const details = error.details === null ? {} : { upstreamDetails: error.details };
  return new Failure('invalid_request', { message, ...param, ...publicCode, ...details });
}

function saysTooLong({ code, type, message }: UpstreamError): boolean {
  return CONTEXT_CODES.has(code ?? '') || CONTEXT_CODES.has(type ?? '') || isAboutContext(message);
}

/** Returns whether the words say that the prompt is longer than the model accepts. */
export function isAboutContext(message: string): boolean {
  return CONTEXT_TEXTS.some((pattern) => pattern.test(message));
}

function refused(refusal: Refusal, status: number, error: UpstreamError, said: string): Failure {
  if (refusal.about === 'channel') {
    const message = `${refusal.message} (HTTP ${status})${said}`;
    return new Failure('upstream_error', { message, kind: refusal.kind, retry: 'other-target' });
  }
  if (refusal.about === 'request') return refusedRequest(status, error);
  if (refusal.about === 'ability') return lacksAbility(status, error);
  return new Failure('invalid_request', {
    message: `The provider denies access to an object that the request names (HTTP ${status})${said}`,
    kind: OBJECT_NOT_ACCESSIBLE,
    ...(error.param === null ? {} : { param: error.param }),
    hint: 'Files, caches and stored conversations belong to one account at a provider: send their content instead.',
    retry: 'other-target',
  });
}

/**
 * Returns the client's 400 for when no other channel has the ability. If the message also says "too long", it is about the
 * length.
 */
function lacksAbility(status: number, error: UpstreamError): Failure {
  const refused = refusedRequest(status, error);
  if (refused.code !== 'invalid_request') return refused;
  return new Failure(refused.code, { ...refused.details, kind: LACKS_ABILITY, retry: 'other-target' });
}

// ---- the shapes of error answers

function readError(bytes: Uint8Array): UpstreamError {
  const text = new TextDecoder().decode(bytes.subarray(0, EXAMINED_BYTES)).trim();
  const parsed = parseJson(text);
  if (parsed === undefined) {
    const message = cleanMessage(text);
    const isPage = /^<(?:!doctype|html|head|body)\b/i.test(text);
    return { message, words: message, code: null, type: null, param: null, details: null, isFlagged: false, isPage };
  }
  const top = Array.isArray(parsed) ? parsed[0] : parsed;
  const outer = objectOf(top);
  const inner = objectOf(outer.error);
  const firstDetail = detailsOf(outer)[0] ?? detailsOf(objectOf(outer.message))[0];
  const without = isRecord(top) ? '' : text;
  const message = cleanMessage(messageIn(parsed, 0, true) ?? without);
  return {
    message,
    words: cleanMessage(messageIn(parsed, 0, false) ?? without),
    code: shortCode(inner.code) ?? shortCode(outer.code),
    type: shortCode(inner.type) ?? shortCode(outer.type),
    param: shortParam(inner.param) ?? shortParam(outer.param) ?? locationOf(firstDetail),
    details: errorDetails(inner),
    isPage: false,
    isFlagged: isRecord(inner.metadata) && inner.metadata.flagged_input !== undefined,
  };
}

/**
 * Returns the first text in the places where providers put it, outermost first; an `error` may be the text itself or an object
 * around it. `withPath` puts the path of the field at fault, if both are present, in front of the text.
 */
function messageIn(value: unknown, depth: number, withPath: boolean): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return firstMessage(value.slice(0, 8), depth, withPath);
  const record: Readonly<Record<string, unknown>> = { ...value };
  // An `error` text next to a message is only the text of the status.
  const { error } = record;
  const nested = typeof error === 'string' ? [record.message, error] : [error, record.message];
  const usual = [...nested, record.detail, record.msg, record.errors, record.Message];
  const found = firstMessage(usual, depth, withPath);
  if (found === null) return firstMessage([record.error_description, record.title, record.reason], depth, withPath);
  const behind = isRecord(record.metadata) ? rawMessage(record.metadata.raw, depth, withPath) : null;
  if (behind !== null && behind !== found) return `${found}: ${behind}`;
  const location = withPath ? locationOf(record) : null;
  return location === null ? found : `${location}: ${found}`;
}

function firstMessage(candidates: readonly unknown[], depth: number, withPath: boolean): string | null {
  for (const candidate of candidates) {
    const found = messageIn(candidate, depth + 1, withPath);
    if (found !== null) return found;
  }
  return null;
}

/** Reads OpenRouter's `metadata.raw`, the body from the provider behind it, often JSON as text. */
function rawMessage(raw: unknown, depth: number, withPath: boolean): string | null {
  if (typeof raw !== 'string') return messageIn(raw, depth + 1, withPath);
  return messageIn(parseJson(raw) ?? raw, depth + 1, withPath);
}

/** Returns FastAPI's validation errors, as vLLM and Mistral send them: `{"detail":[{"loc":["body","n"],"msg":"…"}]}`. */
function detailsOf(record: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(record.detail) ? record.detail : [];
}

function locationOf(detail: unknown): string | null {
  if (!isRecord(detail) || !Array.isArray(detail.loc)) return null;
  return shortParam(detail.loc.filter((part) => part !== 'body').join('.'));
}

/** Returns a code given as text. Mistral's codes are digits as text; a number only repeats the status. */
function shortCode(code: unknown): string | null {
  return typeof code === 'string' && /^[\w.:/-]{1,64}$/.test(code) ? code : null;
}

function shortParam(param: unknown): string | null {
  return typeof param === 'string' && param !== '' && param.length <= 200 ? cleanMessage(param) : null;
}

/** Returns the words of an error, uncleaned; empty if it has none. */
export function messageOf(error: unknown): string {
  return messageIn(error, 0, true) ?? '';
}

// ---- how long to wait

/** Prefers the most precise source: what the response says about this request, then the reset times of OpenAI's limit windows. */
function waitMs(headers: AnswerHeaders, message: string): number | undefined {
  const wait =
    numberIn(headers.get('retry-after-ms'), 1) ??
    numberIn(headers.get('retry-after'), 1_000) ??
    untilDateMs(headers) ??
    durationMs(/\b(?:try again|retry) in ((?:[\d.]+(?:ms|h|m|s))+)/i.exec(message)?.[1]) ??
    resetMs(headers);
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), LONGEST_WAIT_MS);
}

function numberIn(text: string | null, unitMs: number): number | undefined {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) * unitMs : undefined;
}

const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w: -]{10,30}$/;

/**
 * Reads `Retry-After` as a date (RFC 9110, 10.2.3), relative to the upstream's own clock if it sends `Date`. A past date means
 * now.
 */
function untilDateMs(headers: AnswerHeaders): number | undefined {
  const until = dateMs(headers.get('retry-after'));
  if (until === undefined) return undefined;
  return Math.max(0, until - (dateMs(headers.get('date')) ?? Date.now()));
}

function dateMs(text: string | null): number | undefined {
  const date = text?.trim() ?? '';
  if (!HTTP_DATE.test(date)) return undefined;
  // The oldest of the three HTTP date spellings omits the time zone; all of them mean GMT.
  const ms = Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the latest reset among the exhausted windows, if the response says which are; otherwise the earliest reset. */
function resetMs(headers: AnswerHeaders): number | undefined {
  const windows = ['requests', 'tokens'].flatMap((unit) => {
    const ms = durationMs(headers.get(`x-ratelimit-reset-${unit}`));
    return ms === undefined ? [] : [{ ms, isUsedUp: headers.get(`x-ratelimit-remaining-${unit}`) === '0' }];
  });
  if (windows.length === 0) return undefined;
  const usedUp = windows.filter((window) => window.isUsedUp);
  if (usedUp.length > 0) return Math.max(...usedUp.map((window) => window.ms));
  return Math.min(...windows.map((window) => window.ms));
}

// ---- what a client may read

/** Returns the failure with the client's field that it is about; the same failure if the field is unknown. */
export function withParam(failure: Failure, param: string | null | undefined): Failure {
  return param === null || param === undefined ? failure : new Failure(failure.code, { ...failure.details, param });
}
