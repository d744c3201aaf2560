import { asArray, asObject, isObject } from '../shared/json.ts';
import { CandidateBuilder, countOf, type ExpectedAnswer, type Finish, textOf, type Usage } from './expected-answer.ts';

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
  // The client sends the response back unchanged, and the model continues.
  pause_turn: 'pause',
  compaction: 'pause',
};

/** Reads a whole Message, from Anthropic or from Claude on Bedrock. */
export function readMessagesAnswer(body: unknown): ExpectedAnswer {
  const message = asObject(body);
  const candidate = new CandidateBuilder();
  for (const block of asArray(message.content).map(asObject)) {
    takeText(candidate, block);
    if (block.type === 'tool_use') candidate.addWholeCall(block.name, block.input);
  }
  candidate.rawFinish = textOf(message.stop_reason) || null;
  return { candidates: [candidate.build(FINISHES)], usage: messagesUsage(message.usage) };
}

/** Reads a Messages stream from the parsed data of its events. */
export function readMessagesStream(events: readonly unknown[]): ExpectedAnswer {
  const candidate = new CandidateBuilder();
  const inputs = new Map<unknown, { readonly name: unknown; readonly input: unknown; json: string }>();
  let usage: Readonly<Record<string, unknown>> = {};
  for (const event of events.map(asObject)) {
    if (event.type === 'message_start') usage = asObject(asObject(event.message).usage);
    if (event.type === 'content_block_start') {
      const block = asObject(event.content_block);
      takeText(candidate, block);
      if (block.type === 'tool_use') inputs.set(event.index, { name: block.name, input: block.input, json: '' });
    }
    if (event.type === 'content_block_delta') {
      const delta = asObject(event.delta);
      takeText(candidate, delta);
      const call = inputs.get(event.index);
      if (call !== undefined) call.json += textOf(delta.partial_json);
    }
    if (event.type === 'content_block_stop') endCall(candidate, inputs, event.index);
    if (event.type === 'message_delta') {
      candidate.rawFinish = textOf(asObject(event.delta).stop_reason) || candidate.rawFinish;
      usage = merged(usage, asObject(event.usage));
    }
  }
  for (const index of [...inputs.keys()]) endCall(candidate, inputs, index);
  return { candidates: [candidate.build(FINISHES)], usage: messagesUsage(usage) };
}

/** A call without arguments has no pieces, or empty ones: its input is the one in the block's start event. */
function endCall(
  candidate: CandidateBuilder,
  inputs: Map<unknown, { readonly name: unknown; readonly input: unknown; json: string }>,
  index: unknown,
): void {
  const call = inputs.get(index);
  if (call === undefined) return;
  inputs.delete(index);
  if (call.json === '') candidate.addWholeCall(call.name, call.input);
  else candidate.addToCall(candidate.callCount, { name: call.name, text: call.json });
}

function takeText(candidate: CandidateBuilder, piece: Readonly<Record<string, unknown>>): void {
  if (piece.type === 'text' || piece.type === 'text_delta') candidate.text += textOf(piece.text);
  if (piece.type === 'thinking' || piece.type === 'thinking_delta') candidate.reasoning += textOf(piece.thinking);
}

/** The counts of `message_delta` are totals and replace those of `message_start`, if present. */
function merged(
  first: Readonly<Record<string, unknown>>,
  later: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const counted = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...first, ...Object.fromEntries(counted) };
}

/**
 * `input_tokens` excludes cache reads and writes; the three add up to the prompt (the document's Usage).
 * `output_tokens` includes the thinking, which newer models also report separately (`output_tokens_details`). Other
 * iterations of the same request (compaction, an advisor) are counted under `iterations` only, and not here.
 */
function messagesUsage(found: unknown): Usage | null {
  if (!isObject(found) || (found.input_tokens === undefined && found.output_tokens === undefined)) return null;
  const completion = countOf(found.output_tokens);
  const reasoning = Math.min(countOf(asObject(found.output_tokens_details).thinking_tokens), completion);
  return {
    input: countOf(found.input_tokens),
    cachedInput: countOf(found.cache_read_input_tokens),
    cacheWrite: countOf(found.cache_creation_input_tokens),
    output: completion - reasoning,
    reasoning,
  };
}
