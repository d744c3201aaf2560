import { Tokenizer } from '../../shared/tokenizer.ts';
import { type Answer, composeAnswer } from './answer.ts';
import type { ChatRequest } from './request.ts';
import { promptTokens } from './tokens.ts';
import type { ToolCall } from './tool-calls.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls';

export interface Choice extends Answer {
  readonly finishReason: FinishReason;
}

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** A whole answer, which is then sent at once or as a stream. All its choices are equal. */
export interface Completion {
  readonly id: string;
  readonly createdAtSeconds: number;
  readonly model: string;
  readonly choice: Choice;
  readonly choiceCount: number;
  readonly usage: ChatUsage;
}

const SYSTEM_FINGERPRINT = 'switchyard-sandbox';
/** Short enough not to annoy, long enough to show that the answer is streamed. */
const PAUSE_MS = 15;

/** Returns a completion; `hash` is derived from the request's bytes, so that the same request gets the same ids. */
export async function complete(request: ChatRequest, hash: string): Promise<Completion> {
  const tokenizer = await Tokenizer.load();
  const limited = limit(composeAnswer(request), request, tokenizer);
  const choiceCount = request.n ?? 1;
  const prompt = promptTokens(tokenizer, request);
  const completionTokens = limited.tokens * choiceCount;
  return {
    id: `chatcmpl-${hash}`,
    createdAtSeconds: Math.floor(Date.now() / 1000),
    model: request.model,
    choice: limited.choice,
    choiceCount,
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completionTokens,
      total_tokens: prompt + completionTokens,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: limited.reasoningTokens * choiceCount },
    },
  };
}

/** The rest of the request's token limit, and the tokens spent. */
class Budget {
  spent = 0;
  /** Whether the answer is complete. */
  whole = true;
  readonly #tokenizer: Tokenizer;
  readonly #limit: number;

  constructor(tokenizer: Tokenizer, limit: number) {
    this.#tokenizer = tokenizer;
    this.#limit = limit;
  }

  take(text: string): string {
    const beginning = this.#tokenizer.cut(text, this.#limit - this.spent);
    this.spent += beginning.tokens;
    this.whole &&= beginning.whole;
    return beginning.text;
  }
}

/** Applies stop sequences and the token limit in the order in which a model writes: reasoning, then text or calls. */
function limit(answer: Answer, request: ChatRequest, tokenizer: Tokenizer) {
  const budget = new Budget(tokenizer, request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY);
  const reasoning = answer.reasoning === null ? null : budget.take(answer.reasoning);
  const reasoningTokens = budget.spent;
  const text = answer.text === null ? null : budget.take(untilStop(answer.text, request.stop));
  const toolCalls: ToolCall[] = [];
  for (const call of answer.toolCalls) {
    budget.take(call.name);
    if (!budget.whole) break;
    toolCalls.push({ ...call, input: budget.take(call.input) });
  }
  const finishReason: FinishReason = !budget.whole ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop';
  const choice: Choice = { reasoning, text, toolCalls, finishReason };
  return { choice, tokens: budget.spent, reasoningTokens };
}

function untilStop(text: string, stop: ChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '');
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

/** Returns the body of an answer that is not streamed. */
export function completionBody(completion: Completion): Record<string, unknown> {
  const { reasoning, text, toolCalls, finishReason } = completion.choice;
  const message = {
    role: 'assistant',
    content: text,
    refusal: null,
    ...(reasoning === null ? {} : { reasoning_content: reasoning, reasoning_details: [thoughtItem(reasoning)] }),
  };
  return {
    id: completion.id,
    object: 'chat.completion',
    created: completion.createdAtSeconds,
    model: completion.model,
    choices: Array.from({ length: completion.choiceCount }, (_, index) => ({
      index,
      message:
        toolCalls.length === 0
          ? message
          : { ...message, tool_calls: toolCalls.map((call, at) => toolCallBody(completion, call, index, at)) },
      logprobs: null,
      finish_reason: finishReason,
    })),
    usage: completion.usage,
    system_fingerprint: SYSTEM_FINGERPRINT,
  };
}

/** Returns a tool call in the wire's format, with a different id in each choice. */
function toolCallBody(completion: Completion, call: ToolCall, choiceIndex: number, callIndex: number) {
  const id = `call_${completion.id.slice('chatcmpl-'.length)}_${choiceIndex}_${callIndex}`;
  return call.kind === 'function'
    ? { id, type: 'function', function: { name: call.name, arguments: call.input } }
    : { id, type: 'custom', custom: { name: call.name, input: call.input } };
}

/**
 * Returns the thought with its state, which a client sends back with the next turn (openrouter.ai/docs, "Preserving reasoning").
 */
function thoughtItem(text: string) {
  const signature = Buffer.from(`sandbox:${Bun.hash(text).toString(16)}`).toString('base64');
  return { type: 'reasoning.text', text, signature, format: 'unknown', index: 0 };
}

type Delta = Record<string, unknown>;

/** Splits text into words, each with the space before it; long words are split further. Joined, they are the text. */
function words(text: string): string[] {
  return text.match(/\s*\S{1,24}|\s+/gu) ?? [];
}

/** Returns the deltas of one choice's chunks, after the first one with the role. */
function deltasOf(completion: Completion, choiceIndex: number): Delta[] {
  const { reasoning, text, toolCalls } = completion.choice;
  const deltas: Delta[] = [];
  for (const word of words(reasoning ?? '')) deltas.push({ reasoning_content: word });
  if (reasoning !== null) deltas.push({ reasoning_details: [thoughtItem(reasoning)] });
  for (const word of words(text ?? '')) deltas.push({ content: word });
  for (const [index, call] of toolCalls.entries()) {
    const [field, input] = call.kind === 'function' ? ['function', 'arguments'] : ['custom', 'input'];
    const body = toolCallBody(completion, { ...call, input: '' }, choiceIndex, index);
    deltas.push({ tool_calls: [{ index, ...body }] });
    for (const word of words(call.input)) deltas.push({ tool_calls: [{ index, [field]: { [input]: word } }] });
  }
  return deltas;
}

/** Yields the answer's server-sent events in groups, between which there is a pause; the choices advance in parallel. */
export function* eventGroups(completion: Completion, includeUsage: boolean): Generator<string> {
  const event = (choices: unknown[], usage: unknown): string =>
    `data: ${JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      created: completion.createdAtSeconds,
      model: completion.model,
      system_fingerprint: SYSTEM_FINGERPRINT,
      choices,
      ...(includeUsage ? { usage } : {}),
    })}\n\n`;
  const chunk = (index: number, delta: Delta, finishReason: string | null): string =>
    event([{ index, delta, logprobs: null, finish_reason: finishReason }], null);

  const choices = Array.from({ length: completion.choiceCount }, (_, index) => deltasOf(completion, index));
  const content = completion.choice.text === null ? null : '';
  const first = { role: 'assistant', content, refusal: null };
  yield choices.map((_, index) => chunk(index, first, null)).join('');

  const longest = choices[0]?.length ?? 0;
  for (let at = 0; at < longest; at += 1) {
    yield choices.map((deltas, index) => chunk(index, deltas[at] ?? {}, null)).join('');
  }
  const last = choices.map((_, index) => chunk(index, {}, completion.choice.finishReason)).join('');
  yield `${last}${includeUsage ? event([], completion.usage) : ''}data: [DONE]\n\n`;
}

/** Sends the groups as they are read, with a pause before each but the first; stops at once when the reader disconnects. */
export function pacedStream(groups: Iterator<string>, aborted: AbortSignal): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const signal = AbortSignal.any([aborted, left.signal]);
  const encoder = new TextEncoder();
  let pauseMs = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (pauseMs > 0) await sleep(pauseMs, signal);
          signal.throwIfAborted();
        } catch (error) {
          if (!left.signal.aborted) controller.error(error);
          return;
        }
        pauseMs = PAUSE_MS;
        const group = groups.next();
        if (group.done) controller.close();
        else controller.enqueue(encoder.encode(group.value));
      },
      cancel() {
        left.abort();
        groups.return?.();
      },
    },
    // The stream is produced only as fast as it is read.
    { highWaterMark: 0 },
  );
}

/** Rejects early when the signal is aborted. */
function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    signal.addEventListener('abort', stop, { once: true });
  });
}
