import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import type { StreamEvent } from './stream-event.ts';

/**
 * Returns the violations of a Chat Completions stream as a whole: every chunk has the same id, every choice finishes once and sends nothing
 * afterwards, a tool call's name comes before its arguments, `[DONE]` ends the stream. An error chunk ends it too.
 */
export function judgeChatStream(events: readonly StreamEvent[]): readonly string[] {
  const problems: string[] = [];
  const data = events.map((event) => event.data);
  const done = data.indexOf('[DONE]');
  const chunks = (done < 0 ? data : data.slice(0, done)).map(parseJson);
  const failed = isObject(chunks.at(-1)) && isObject(asObject(chunks.at(-1)).error);
  if (done < 0 && !failed) problems.push('stream: ends without [DONE]');
  if (done >= 0 && done < data.length - 1) problems.push(`event ${done + 1}: comes after [DONE]`);
  if (chunks.length === 0) problems.push('stream: has no chunk');
  const ids = new Set<unknown>();
  const finished = new Set<unknown>();
  const named = new Set<string>();
  for (const [index, chunk] of chunks.entries()) {
    if (!isObject(chunk)) problems.push(`event ${index}: is not an object`);
    if (!isObject(chunk) || isObject(chunk.error)) continue;
    ids.add(chunk.id);
    for (const choice of asArray(chunk.choices).map(asObject)) {
      const delta = asObject(choice.delta);
      if (finished.has(choice.index) && saysSomething(delta)) {
        problems.push(`event ${index}: choice ${String(choice.index)} goes on after its finish_reason`);
      }
      for (const call of asArray(delta.tool_calls).map(asObject)) {
        const key = `${String(choice.index)}:${String(call.index)}`;
        if (asObject(call.function).name !== undefined || isObject(call.custom)) named.add(key);
        else if (!named.has(key)) problems.push(`event ${index}: the tool call ${key} has no name yet`);
      }
      if (typeof choice.finish_reason === 'string') finished.add(choice.index);
    }
  }
  if (ids.size > 1) problems.push(`stream: has ${ids.size} ids`);
  if (finished.size === 0 && !failed) problems.push('stream: no choice has a finish_reason');
  return problems;
}

/** The role may be repeated (openai/chat/186); anything else that is not empty is content. */
function saysSomething(delta: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(delta).some(([key, value]) => key !== 'role' && !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Returns the violations of a Gemini stream as a whole: every event is a response with the same `responseId`, and the last one with candidates
 * says why each ended (or a prompt was blocked). There is no end mark.
 */
export function judgeGeminiStream(events: readonly StreamEvent[]): readonly string[] {
  const problems: string[] = [];
  const ids = new Set<unknown>();
  const seen = new Set<unknown>();
  const finished = new Set<unknown>();
  let ended = false;
  for (const [index, { event, data }] of events.entries()) {
    const chunk = parseJson(data);
    if (event !== null) problems.push(`event ${index}: is named ${event}`);
    if (!isObject(chunk)) {
      problems.push(`event ${index}: is not an object`);
      continue;
    }
    if (isObject(chunk.error) || asObject(chunk.promptFeedback).blockReason !== undefined) ended = true;
    if (chunk.responseId !== undefined) ids.add(chunk.responseId);
    for (const candidate of asArray(chunk.candidates).map(asObject)) {
      const number = candidate.index ?? 0;
      seen.add(number);
      if (candidate.finishReason !== undefined) finished.add(number);
    }
  }
  if (events.length === 0) problems.push('stream: has no event');
  if (ids.size > 1) problems.push(`stream: has ${ids.size} response ids`);
  if (!ended && seen.size === 0) problems.push('stream: has no candidate');
  for (const number of seen) {
    if (!ended && !finished.has(number)) problems.push(`stream: candidate ${String(number)} has no finishReason`);
  }
  return problems;
}
