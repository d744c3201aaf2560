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

/** Reads a whole response of Cohere's chat, version 2. The plan before tool calls is the model's reasoning. */
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

/** Reads a stream of Cohere's chat, version 2, from the parsed data of its events. */
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
 * `billed_units` is what is charged, so clients get it. `tokens` also counts the instructions that Cohere adds (84
 * billed of 1501 in cohere/chat/010) and includes the cached tokens. Without `billed_units`, `tokens` is used.
 */
function cohereUsage(found: unknown): Usage | null {
  const usage = asObject(found);
  const isBilled = isObject(usage.billed_units);
  const counts = isBilled ? usage.billed_units : usage.tokens;
  if (!isObject(counts)) return null;
  return inclusiveUsage({
    prompt: countOf(counts.input_tokens),
    cached: isBilled ? 0 : countOf(usage.cached_tokens),
    cacheWrite: 0,
    completion: countOf(counts.output_tokens),
    reasoning: countOf(asObject(usage.tokens).reasoning_tokens),
  });
}
