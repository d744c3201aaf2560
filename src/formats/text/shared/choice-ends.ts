import type { Failure } from '../../../domain/failure/failure.ts';
import { type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import type { MemberSpan } from '../../shared/json/json-scan.ts';
import { failureOfEmpty, failureOfReason, finishOf, rawFinish } from './choice-answer.ts';

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
