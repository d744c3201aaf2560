import type { Candidate, Finish, FinishReason } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import type { MemberSpan } from '../../shared/json/json-scan.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';

/* Shared by the answers of chat completions and of text completions: everything except the contents of a choice. */

export type Json = Readonly<Record<string, unknown>>;

/** Returns whether this is a choice: it has a message, however empty, or the reason why there is none. */
export function saysSomethingAtAll({ message, delta, text, finish_reason: reason }: Json): boolean {
  return [message, delta, text, reason].some((member) => member !== undefined && member !== null);
}

/**
 * Returns the error in a 200 answer: an `error` member (OpenRouter), an error in a choice (OpenRouter, when the model behind it fails
 * midway), or a body that is itself the error (vLLM, Mistral: `{"object": "error", "message": …}`). Content next to an error was written
 * before it: in a stream the client already has it, and for a whole answer another channel is tried.
 */
export function errorIn(answer: Json, choices: readonly Json[]): Failure | null {
  const error = failureInAnswer(answer.error);
  if (error !== null) return error;
  for (const choice of choices) {
    const failure = failureInAnswer(choice.error);
    if (failure !== null) return failure;
    const unfinished = failureOfReason(rawFinish(choice));
    if (unfinished !== null) return unfinished;
  }
  if (answer.object === 'error' || (answer.choices === undefined && !answer.object)) return errorItself(answer);
  return null;
}

function errorItself(answer: Json): Failure | null {
  const { message, detail } = answer;
  return message || detail ? failureInAnswer(answer) : null;
}

export function tierOf({ service_tier: tier }: Json): { readonly serviceTier?: string } {
  return typeof tier === 'string' && tier !== '' ? { serviceTier: tier } : {};
}

/** Returns the answer's id; `null` for the empty one in Azure's chunks about the prompt. */
export function idOf({ id }: Json): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

/** Returns the creation time, which Writer sends as text. */
export function createdOf({ created }: Json): number | null {
  const seconds = typeof created === 'string' ? Number(created) : created;
  return typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}

// ---- finish reasons

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  completed: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  max_output_tokens: 'length',
  context_length: 'length',
  model_context_window_exceeded: 'length',
  tool_calls: 'tool-calls',
  tool_call: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  content_filtered: 'content-filter',
  safety: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'content-filter',
  recitation: 'content-filter',
  pause_turn: 'pause',
};

/** Reasons for an answer that the upstream could not complete, in the words of the client's error message. */
const FAILED: Readonly<Record<string, string>> = {
  error: 'The upstream failed in the middle of the response.',
  // vLLM and SGLang.
  abort: 'The upstream aborted the response.',
  // DeepSeek, "Create Chat Completion".
  insufficient_system_resource: 'The upstream had too few resources to complete the response.',
  // Z.ai, "Chat Completion".
  network_error: 'The upstream lost its connection to the model.',
};

/** Returns the failure for a finish reason, or `null` if it ends a regular answer. */
export function failureOfReason(raw: string | null): Failure | null {
  const message = raw === null ? undefined : entryOf(FAILED, raw.toLowerCase());
  if (message === undefined) return null;
  return new Failure('upstream_error', { kind: 'failed_generation', message, retry: 'other-target' });
}

/** Returns the failure for an answer without content that ended for an unknown reason, or `null`. */
export function failureOfEmpty(isEmpty: boolean, { unified, raw }: Finish): Failure | null {
  if (!isEmpty || unified !== 'other') return null;
  const message = `The upstream returned no response, with the reason "${cleanMessage(raw ?? '').slice(0, 60)}".`;
  return new Failure('upstream_error', { kind: 'failed_generation', message, retry: 'other-target' });
}

/** Does the same for the choices of a whole answer. */
export function failureOfCandidates(candidates: readonly Candidate[]): Failure | null {
  for (const { parts, finish } of candidates) {
    const failure = failureOfEmpty(parts.length === 0, finish);
    if (failure !== null) return failure;
  }
  return null;
}

/** The native API of Alibaba writes the word "null". */
const NO_REASON: ReadonlySet<unknown> = new Set(['', 'null']);

/** Returns the reason as sent; OpenAI's first vision models put it into `finish_details`. */
export function rawFinish({ finish_reason, finish_details }: Json): string | null {
  const said = isRecord(finish_details) ? [finish_reason, finish_details.type] : [finish_reason];
  return said.find((reason): reason is string => typeof reason === 'string' && !NO_REASON.has(reason)) ?? null;
}

/**
 * Returns the finish reason. An answer with calls that merely "stopped" (Gemini's endpoint, Ollama) is waiting for their results.
 * A complete answer without a reason counts as stopped.
 */
export function finishOf(raw: string | null, hasCalls: boolean): Finish {
  const known = raw === null ? 'stop' : entryOf(REASONS, raw.toLowerCase());
  const stopped = known === undefined || known === 'stop';
  return { unified: stopped && hasCalls ? 'tool-calls' : (known ?? 'other'), raw };
}

/** The finish reasons in OpenAI's specification, which every client knows. */
const KNOWN: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

/** Finish reasons of OpenAI for an end that a client must not mistake for a complete answer. */
const WORDS: Readonly<Partial<Record<string, string>>> = { length: '"length"', 'content-filter': '"content_filter"' };

/**
 * Reads a relayed choice's finish reason. Returns the failure for it, an edit if OpenAI has another word for an incomplete or filtered
 * answer, or `null`. `isEmpty` returns whether nothing has been written; it is called only when that matters.
 */
export function readEnd(bytes: Uint8Array, reason: MemberSpan, isEmpty: () => boolean): Failure | Edit | null {
  const raw = rawFinish({ finish_reason: safeParse(bytes, reason) });
  if (raw === null || KNOWN.has(raw)) return null;
  const finish = finishOf(raw, false);
  const failure = failureOfReason(raw) ?? (finish.unified === 'other' ? failureOfEmpty(isEmpty(), finish) : null);
  if (failure !== null) return failure;
  const word = WORDS[finish.unified];
  return word === undefined ? null : replaceValue(reason, word);
}
