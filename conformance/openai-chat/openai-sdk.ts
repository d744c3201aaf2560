import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { isObject, parseJson } from '../shared/json.ts';
import { type ChatCase, isUsageOnlyChunk } from './chat-case.ts';
import { type Outcome, sdkError } from './outcome.ts';
import { modelFor, type Target, type WireTap } from './target.ts';

/** A chat through the `openai` SDK with the recorded request, streamed where the recorded client streamed. */
export async function runOpenAiSdk(one: ChatCase, target: Target, tap: WireTap): Promise<Outcome> {
  const client = new OpenAI({
    baseURL: target.baseUrl,
    apiKey: target.apiKey,
    maxRetries: 0,
    logLevel: 'off',
    fetch: tap.fetch,
  });
  // Recorded requests hold providers' own fields too, which the SDK sends as they are.
  const request = { ...one.request, model: modelFor(target, one) } as unknown as ChatCompletionCreateParams;
  const received: unknown[] = [];
  try {
    if (!one.streaming) return { value: withoutOwnFields(await client.chat.completions.create(request)) };
    const stream = (await client.chat.completions.create(request)) as AsyncIterable<ChatCompletionChunk>;
    for await (const chunk of stream) received.push(chunk);
    return { value: visibleChunks(one, target, received).map(withoutOwnFields) };
  } catch (error) {
    return { value: received.map(withoutOwnFields), error: sdkError(error) };
  }
}

/**
 * The rule for usage in a stream. A client that did not ask for usage must not see the usage chunk, although the
 * gateway always asks the upstream for it (it has to bill). The replay server sends what was recorded whether or not the
 * request asks, so talking to it directly shows a chunk that a real upstream would not have sent: it is taken out of
 * the direct answer, and only there. Usage beside a choice, and chunks without choices and without usage, stay.
 */
function visibleChunks(one: ChatCase, target: Target, chunks: readonly unknown[]): readonly unknown[] {
  if (target.kind === 'gateway' || one.asksForUsage) return chunks;
  return chunks.filter((chunk) => !isUsageOnlyChunk(chunk));
}

/**
 * Takes out what the contract lets the gateway change: the model's id, and `_routing`. Where a recorder did not keep
 * the content type, the SDK returns the upstream's JSON as a text, which is compared by what it says.
 */
function withoutOwnFields(answer: unknown): unknown {
  if (typeof answer === 'string') return withoutOwnFields(parseJson(answer));
  if (!isObject(answer)) return answer;
  const { model: _model, _routing, ...rest } = answer;
  return rest;
}
