import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import type { ChatCase, ChatRequest } from './chat-case.ts';
import type { Outcome } from './outcome.ts';
import type { WireAnswer } from './target.ts';

interface ExpectedError {
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  readonly retryAfter?: boolean;
}

/** Returns the provider's error message, in each shape that providers use: OpenAI's, Mistral's, Venice's, FastAPI's. */
export function upstreamMessage(body: string): string | undefined {
  const parsed = asObject(parseJson(body));
  const { error, message, detail } = parsed;
  const candidates = [asObject(error).message, error, message, detail];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string');
}

/** A key, whole or masked, or the id of the operator's account: clients must not see it. */
const OPERATORS_SECRET = /\*{3,}|^sk-|^org-/;

/** Returns whether a message contains the upstream's words, in which only the operator's secrets may be redacted. */
export function saysTheSame(message: string, words: string): boolean {
  const tokens = words.split(/(\s+)/).map((token) => {
    const literal = RegExp.escape(token);
    return OPERATORS_SECRET.test(token) ? `(?:${literal}|\\[redacted\\]\\S?)` : literal;
  });
  return new RegExp(tokens.join('')).test(message);
}

function isContextLength(body: string): boolean {
  const { code, type } = asObject(asObject(parseJson(body)).error);
  return code === 'context_length_exceeded' || type === 'exceed_context_size_error';
}

/**
 * Returns the error that the contract's error table requires for an upstream's response. The client's mistakes stay
 * client errors; the operator's (a wrong key, an unknown deployment, no credit) become upstream errors, since the
 * client cannot fix them.
 */
export function expectedError(status: number, body: string): ExpectedError {
  // The gateway knew the client's model id. If the upstream does not know the id that the channel maps it to, the
  // operator has made a mistake, as with a 404.
  if (status === 400 && saysUnknownModel(body)) return { status: 502, type: 'upstream_error' };
  if (status === 400 || status === 422) {
    return { status: 400, type: isContextLength(body) ? 'context_length_exceeded' : 'invalid_request_error' };
  }
  // llama.cpp answers input that the model does not support with a 500.
  if (status === 500 && /image input is not supported/.test(body))
    return { status: 400, type: 'invalid_request_error' };
  if (status === 413) return { status: 413, type: 'invalid_request_error', code: 'payload_too_large' };
  if (status === 429 && !body.includes('insufficient_quota')) {
    return { status: 429, type: 'rate_limit_exceeded', code: 'rate_limit_exceeded', retryAfter: true };
  }
  return { status: 502, type: 'upstream_error' };
}

function saysUnknownModel(body: string): boolean {
  return /invalid model|unknown model|not a valid model|model (?:not exist|does not exist)|supported API model names/i.test(
    body,
  );
}

/**
 * Returns the first field of a request that exceeds a bound of the contract's chat table, which the gateway checks
 * itself.
 */
function fieldOutOfBounds(request: ChatRequest): string | undefined {
  const bounds = { temperature: [0, 2], frequency_penalty: [-2, 2], presence_penalty: [-2, 2], n: [1, 128] } as const;
  for (const [field, [low, high]] of Object.entries(bounds)) {
    const value = request[field];
    if (typeof value === 'number' && (value < low || value > high)) return field;
  }
  return undefined;
}

/** Content blocks without a type may be refused by the gateway or by the upstream. */
function hasUntypedBlock(request: ChatRequest): boolean {
  const blocks = asArray(request.messages).flatMap((message) => asArray(asObject(message).content));
  return blocks.some((block) => typeof asObject(block).type !== 'string');
}

/** Every error has these four members; `param` is `null` if no parameter is to blame. */
function envelopeProblems(error: Readonly<Record<string, unknown>>): readonly string[] {
  const problems = ['message', 'type', 'code'].filter((key) => typeof error[key] !== 'string');
  if (error.param !== null && typeof error.param !== 'string') problems.push('param');
  return problems.map((key) => `error.${key} is ${JSON.stringify(error[key])}`);
}

function retryAfterProblems(answer: WireAnswer, error: Readonly<Record<string, unknown>>): readonly string[] {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const problems: string[] = [];
  if (!(seconds >= 0)) problems.push(`Retry-After is ${answer.headers.get('retry-after')}`);
  if (error.retryable !== true) problems.push(`error.retryable is ${JSON.stringify(error.retryable)}`);
  if (error.retry_after !== seconds)
    problems.push(`error.retry_after ${error.retry_after} is not Retry-After ${seconds}`);
  return problems;
}

/** Returns the problems of the gateway's response to a request that the upstream refused. */
export function errorAnswerProblems(one: ChatCase, answer: WireAnswer): readonly string[] {
  const error = asObject(parseJson(answer.body)).error;
  if (!isObject(error)) return [`status ${answer.status} without an error envelope: ${answer.body.slice(0, 120)}`];
  const envelope = envelopeProblems(error);
  const field = fieldOutOfBounds(one.request);
  if (field !== undefined && answer.status === 400) {
    const named = typeof error.param === 'string' && error.param.startsWith(field);
    return named
      ? envelope
      : [...envelope, `the request's ${field} breaks the contract, but error.param is ${error.param}`];
  }
  if (answer.status === 400 && hasUntypedBlock(one.request) && String(error.param).startsWith('messages'))
    return envelope;
  const { status: upstreamStatus, responseBody } = one.recording;
  const expected = expectedError(upstreamStatus, responseBody);
  const problems = [...envelope];
  if (answer.status !== expected.status) problems.push(`status ${answer.status}, expected ${expected.status}`);
  for (const key of ['type', 'code'] as const) {
    const value = expected[key];
    if (value !== undefined && error[key] !== value)
      problems.push(`error.${key} is ${JSON.stringify(error[key])}, expected ${value}`);
  }
  const words = upstreamMessage(responseBody);
  if (words !== undefined && !saysTheSame(String(error.message), words)) {
    problems.push(`error.message ${JSON.stringify(error.message)} lacks the upstream's words ${JSON.stringify(words)}`);
  }
  return expected.retryAfter === true ? [...problems, ...retryAfterProblems(answer, error)] : problems;
}

/** The SDK must throw an error with the gateway's status and message. */
export function thrownErrorProblems(outcome: Outcome, answer: WireAnswer): readonly string[] {
  if (outcome.error === undefined) return ['the SDK did not throw'];
  const problems: string[] = [];
  if (outcome.error.status !== answer.status)
    problems.push(`the SDK's error has status ${outcome.error.status}, the wire ${answer.status}`);
  const words = asObject(asObject(parseJson(answer.body)).error).message;
  if (typeof words === 'string' && !outcome.error.message.includes(words)) {
    problems.push(
      `the SDK's error says ${JSON.stringify(outcome.error.message)}, the gateway ${JSON.stringify(words)}`,
    );
  }
  return problems;
}
