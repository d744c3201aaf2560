import { asArray, asObject, isObject } from '../shared/json.ts';
import {
  CandidateBuilder,
  countOf,
  type ExpectedAnswer,
  type Finish,
  inclusiveUsage,
  textOf,
  type Usage,
} from './expected-answer.ts';

const FINISHES: Readonly<Record<string, Finish>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
};

/** A whole answer of Cohere's chat, version 2. The plan that comes before tool calls is the model's thinking. */
export function readCohereChatAnswer(body: unknown): ExpectedAnswer {
  const answer = asObject(body);
  const message = asObject(answer.message);
  const candidate = new CandidateBuilder();
  candidate.reasoning += textOf(message.tool_plan);
  for (const part of asArray(message.content).map(asObject)) takePart(candidate, part);
  for (const call of asArray(message.tool_calls).map(asObject)) takeCall(candidate, candidate.callCount, call);
  candidate.rawFinish = textOf(answer.finish_reason) || null;
  return { candidates: [candidate.build(FINISHES)], usage: cohereUsage(answer.usage) };
}

/** A stream of Cohere's chat, version 2, from the parsed data of its events. */
export function readCohereChatStream(events: readonly unknown[]): ExpectedAnswer {
  const candidate = new CandidateBuilder();
  let usage: unknown;
  for (const event of events.map(asObject)) {
    const delta = asObject(event.delta);
    const message = asObject(delta.message);
    candidate.reasoning += textOf(message.tool_plan);
    if (event.type === 'content-start' || event.type === 'content-delta')
      takePart(candidate, asObject(message.content));
    if (event.type === 'tool-call-start' || event.type === 'tool-call-delta') {
      takeCall(candidate, event.index, asObject(message.tool_calls));
    }
    if (event.type === 'message-end') {
      candidate.rawFinish = textOf(delta.finish_reason) || null;
      usage = delta.usage;
    }
  }
  return { candidates: [candidate.build(FINISHES)], usage: cohereUsage(usage) };
}

function takePart(candidate: CandidateBuilder, part: Readonly<Record<string, unknown>>): void {
  candidate.text += textOf(part.text);
  candidate.reasoning += textOf(part.thinking);
}

function takeCall(candidate: CandidateBuilder, key: unknown, call: Readonly<Record<string, unknown>>): void {
  const { name, arguments: text } = asObject(call.function);
  candidate.addToCall(key, { name, text });
}

/**
 * `tokens` counts what the model read and wrote, with the tool instructions that Cohere adds; `billed_units` (84 of 1501 in
 * cohere/chat/010) what is paid. Cached tokens are among the input, reasoning tokens among the output (1008 of 1501 and 304 of 346).
 */
function cohereUsage(found: unknown): Usage | null {
  const usage = asObject(found);
  const counts = isObject(usage.tokens) ? usage.tokens : usage.billed_units;
  if (!isObject(counts)) return null;
  return inclusiveUsage({
    prompt: countOf(counts.input_tokens),
    cached: countOf(usage.cached_tokens),
    cacheWrite: 0,
    completion: countOf(counts.output_tokens),
    reasoning: countOf(counts.reasoning_tokens),
  });
}
