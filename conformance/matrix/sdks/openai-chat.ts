import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources/chat/completions';
import { readAnswer, readStream } from '../../readers/index.ts';
import { asArray, asObject } from '../../shared/json.ts';
import type { Driver, DriverCall, Reading } from './driver.ts';
import { PROMPT, TOOLS } from './prompt.ts';

export const openaiChat: Driver = {
  format: 'openai-chat',
  name: 'openai, chat.completions',
  async run(call) {
    const { chat } = new OpenAI({
      baseURL: `${call.target.origin}/v1`,
      apiKey: call.target.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      fetch: call.fetch,
    });
    const options = { signal: call.signal };
    if (call.form === 'whole') return readingOf(await chat.completions.create(request(call), options), call);
    if (call.dialect !== '') return relayedStream(await chat.completions.create(streamed(call), options), call);
    const stream = chat.completions.stream(streamed(call), options);
    const reasoning = new Map<number, string>();
    for await (const chunk of stream) {
      for (const { index, delta } of chunk.choices ?? []) {
        const { reasoning_content, reasoning: other } = asObject(delta);
        const piece = [reasoning_content, other].find((one) => typeof one === 'string' && one !== '');
        if (typeof piece === 'string') reasoning.set(index, (reasoning.get(index) ?? '') + piece);
      }
    }
    const completion = await stream.finalChatCompletion();
    // For a member that it does not know, the SDK's own accumulation keeps only the last piece.
    const choices = completion.choices.map((choice) => ({
      ...choice,
      message: { ...choice.message, reasoning: undefined, reasoning_content: reasoning.get(choice.index) },
    }));
    return readingOf({ ...completion, choices }, call);
  },
  ownError: (error) => (error instanceof OpenAI.OpenAIError ? { status: statusOf(error) } : undefined),
};

function statusOf(error: Error): number | undefined {
  return error instanceof OpenAI.APIError ? error.status : undefined;
}

function request({ target, withTools }: DriverCall) {
  return {
    model: target.model,
    messages: [
      { role: 'system', content: PROMPT.system },
      { role: 'user', content: PROMPT.user },
    ],
    max_completion_tokens: PROMPT.maxTokens,
    ...(withTools && {
      tools: TOOLS.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
  } satisfies ChatCompletionCreateParamsNonStreaming;
}

function streamed(call: DriverCall) {
  return { ...request(call), stream: true as const, stream_options: { include_usage: true } };
}

/**
 * The SDK's helper rejects the chunks of several OpenAI-compatible providers (no role, no index); their users
 * read the chunks directly.
 */
async function relayedStream(stream: AsyncIterable<ChatCompletionChunk>, { dialect }: DriverCall): Promise<Reading> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const model = chunks.find((chunk) => (chunk.model ?? '') !== '')?.model ?? null;
  return { ...readStream('chat', chunks, dialect), model, callIds: [], totalTokens: null };
}

function readingOf(completion: ChatCompletion, { dialect }: DriverCall): Reading {
  const calls = asArray(completion.choices?.[0]?.message.tool_calls);
  return {
    ...readAnswer('chat', completion, dialect),
    model: completion.model ?? null,
    callIds: calls.map((call) => asObject(call).id),
    totalTokens: completion.usage?.total_tokens ?? null,
  };
}
