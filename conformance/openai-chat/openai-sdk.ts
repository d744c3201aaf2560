import OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { isObject, parseJson } from '../shared/json.ts';
import { type ChatCase, isUsageOnlyChunk } from './chat-case.ts';
import { type Outcome, sdkError } from './outcome.ts';
import { modelFor, type Target, type WireTap } from './target.ts';

/** Runs a chat through the `openai` SDK with the recorded request, streamed if the recorded client streamed. */
export async function runOpenAiSdk(one: ChatCase, target: Target, tap: WireTap): Promise<Outcome> {
  const client = new OpenAI({
    baseURL: target.baseUrl,
    apiKey: target.apiKey,
    maxRetries: 0,
    logLevel: 'off',
    fetch: tap.fetch,
  });
  // Recorded requests also have providers' own fields, which the SDK sends unchanged.
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
 * Hides usage from clients that did not ask for it. The gateway always asks the upstream for usage, which it needs for
 * billing, and must not pass the usage chunk on. The replay server sends it whether or not the request asks, so a
 * direct request gets a chunk that a real upstream would not send: it is removed from the direct response only. Usage
 * beside a choice, and chunks with neither choices nor usage, stay.
 */
function visibleChunks(one: ChatCase, target: Target, chunks: readonly unknown[]): readonly unknown[] {
  if (target.kind === 'gateway' || one.asksForUsage) return chunks;
  return chunks.filter((chunk) => !isUsageOnlyChunk(chunk));
}

/**
 * Removes what the contract lets the gateway change: the model id and `_routing`. If the content type was not recorded,
 * the SDK returns the upstream's JSON as text, which is parsed before the comparison.
 */
function withoutOwnFields(answer: unknown): unknown {
  if (typeof answer === 'string') return withoutOwnFields(parseJson(answer));
  if (!isObject(answer)) return answer;
  const { model: _model, _routing, ...rest } = answer;
  return rest;
}
