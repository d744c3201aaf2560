import { asArray, asObject, isObject } from '../shared/json.ts';
import { CandidateBuilder, countOf, type ExpectedAnswer, type Finish, textOf, type Usage } from './expected-answer.ts';

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
};

/** Reads a whole response of Bedrock's Converse. */
export function readConverseAnswer(body: unknown): ExpectedAnswer {
  const answer = asObject(body);
  const candidate = new CandidateBuilder();
  for (const block of asArray(asObject(asObject(answer.output).message).content).map(asObject)) {
    candidate.text += textOf(block.text);
    candidate.reasoning += textOf(asObject(asObject(block.reasoningContent).reasoningText).text);
    if (isClientCall(block.toolUse)) candidate.addWholeCall(block.toolUse.name, block.toolUse.input);
  }
  candidate.rawFinish = textOf(answer.stopReason) || null;
  return { candidates: [candidate.build(FINISHES)], usage: converseUsage(answer.usage) };
}

/** Reads a stream of Converse from pairs of an event's type and its parsed payload. */
export function readConverseStream(
  events: readonly { readonly type: string; readonly data: unknown }[],
): ExpectedAnswer {
  const candidate = new CandidateBuilder();
  const calls = new Map<unknown, { readonly name: unknown; json: string }>();
  let usage: unknown;
  for (const { type, data: found } of events) {
    const data = asObject(found);
    if (type === 'contentBlockStart') {
      const call = asObject(data.start).toolUse;
      if (isClientCall(call)) calls.set(data.contentBlockIndex, { name: call.name, json: '' });
    }
    if (type === 'contentBlockDelta') {
      const delta = asObject(data.delta);
      candidate.text += textOf(delta.text);
      candidate.reasoning += textOf(asObject(delta.reasoningContent).text);
      const call = calls.get(data.contentBlockIndex);
      if (call !== undefined) call.json += textOf(asObject(delta.toolUse).input);
    }
    if (type === 'messageStop') candidate.rawFinish = textOf(data.stopReason) || null;
    if (type === 'metadata') usage = data.usage;
  }
  for (const { name, json } of calls.values()) {
    if (json === '') candidate.addWholeCall(name, {});
    else candidate.addToCall(candidate.callCount, { name, text: json });
  }
  return { candidates: [candidate.build(FINISHES)], usage: converseUsage(usage) };
}

function isClientCall(call: unknown): call is Readonly<Record<string, unknown>> {
  return isObject(call) && call.type !== 'server_tool_use';
}

/**
 * `inputTokens` excludes cache reads and writes (bedrock/converse/002: 0 + 27 + 48 = 75); reasoning is not
 * counted separately.
 */
function converseUsage(found: unknown): Usage | null {
  if (!isObject(found)) return null;
  return {
    input: countOf(found.inputTokens),
    cachedInput: countOf(found.cacheReadInputTokens),
    cacheWrite: countOf(found.cacheWriteInputTokens),
    output: countOf(found.outputTokens),
    reasoning: 0,
  };
}
