import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { parseJson } from '../shared/json.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import type { ExpectedAnswer } from './expected-answer.ts';
import { readRecordedAnswer } from './recorded-answer.ts';

/** The parts of a response with one candidate that both an SDK and a reader report. */
interface Reading {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

function readingOf(answer: ExpectedAnswer | null): Reading {
  const candidate = answer?.candidates[0];
  const usage = answer?.usage;
  return {
    text: candidate?.text ?? '',
    toolCalls: candidate?.toolCalls ?? [],
    finish: candidate?.rawFinish ?? null,
    promptTokens: (usage?.input ?? 0) + (usage?.cachedInput ?? 0) + (usage?.cacheWrite ?? 0),
    completionTokens: (usage?.output ?? 0) + (usage?.reasoning ?? 0),
  };
}

function recordingsIn(exchanges: readonly RecordingRow[], provider: string, api: string, stream: boolean) {
  return exchanges
    .filter((row) => row.provider === provider && row.api === api && row.status === 200 && row.stream === stream)
    .map(readRecording)
    .filter((one) => readRecordedAnswer(one)?.candidates.length === 1 && !NOT_FOR_SDK.has(one.file));
}

/** Recordings that the SDK itself rejects, or reads as nothing. */
const NOT_FOR_SDK: ReadonlyMap<string, string> = new Map([
  ['anthropic/messages/039-gateway-message-delta-metadata.json', 'ends with [DONE], which Anthropic does not send'],
  ['anthropic/messages/203-anthropic-programmatic-tool-calling-1.json', 'several streams, one after another'],
  ['anthropic/messages/902-issue-200-in-stream-overloaded.json', 'breaks off with an error, which the SDK throws'],
  ['anthropic/messages/broken-stream.json', 'breaks off with an error, which the SDK throws'],
  ['gemini/generateContent/122-testgoogleaigeneratecontentwithsystemmessage.json', 'a list in the place of a stream'],
  ['gemini/generateContent/124-testgoogleaitoolcallresponse.json', 'a list in the place of a stream'],
  ['gemini/generateContent/202-google-stream-no-args-tool-call.json', 'the SDK does not join streamed arguments'],
  [
    'gemini/generateContent/203-google-stream-tool-call-array-arguments-missing-terminal-fun.json',
    'the SDK does not join streamed arguments',
  ],
  ['gemini/generateContent/206-stream-basic-text-1.json', 'the empty lines between its events are missing'],
  ['openai/responses/179-github-copilot-id-rotation-1.json', 'the SDK rejects a response whose id changes'],
  ['openai/responses/181-openai-apply-patch-tool-1.json', 'the SDK rejects unknown events'],
  ['openai/responses/189-openai-error-1.json', 'fails, which the SDK throws'],
  ['openai/responses/failed-stream.json', 'fails, which the SDK throws'],
  ['openai/responses/209-parallel-tool-call-wrapper-1.json', 'cut off in its middle'],
]);

function answering(recording: Recording): typeof fetch {
  const type = recording.stream ? 'text/event-stream' : 'application/json';
  const answer = async () => new Response(recording.responseBody, { headers: { 'content-type': type } });
  // The SDKs do not use `fetch.preconnect`.
  return answer as unknown as typeof fetch;
}

const user = [{ role: 'user' as const, content: 'Hello' }];

/** Defines the tests that the readers and the provider's own SDK read the same from a response. */
export function testSdkReadings(exchanges: readonly RecordingRow[]): void {
  const recordingsOf = (provider: string, api: string, stream: boolean) =>
    recordingsIn(exchanges, provider, api, stream);

  describe('a reader and the SDK agree', () => {
    test.each([false, true])('openai, chat, streamed: %p', async (stream) => {
      await compareAll(recordingsOf('openai', 'chat', stream), async (recording) => {
        const chat = openai(recording).chat.completions;
        const request = { model: 'm', messages: user };
        const completion = stream ? await chat.stream(request).finalChatCompletion() : await chat.create(request);
        const choice = completion.choices[0];
        const calls = choice?.message.tool_calls ?? [];
        const old = choice?.message.function_call;
        return {
          text: choice?.message.content ?? '',
          toolCalls: [
            ...calls.map((call) =>
              call.type === 'function'
                ? namedCall(call.function)
                : { name: call.custom.name, arguments: call.custom.input },
            ),
            ...(old ? [namedCall(old)] : []),
          ],
          finish: choice?.finish_reason ?? null,
          promptTokens: completion.usage?.prompt_tokens ?? 0,
          completionTokens: completion.usage?.completion_tokens ?? 0,
        };
      });
    });

    test.each([false, true])('openai, responses, streamed: %p', async (stream) => {
      await compareAll(recordingsOf('openai', 'responses', stream), async (recording) => {
        const { responses } = openai(recording);
        const request = { model: 'm', input: 'Hello' };
        const response = stream ? await responses.stream(request).finalResponse() : await responses.create(request);
        return {
          text: response.output_text,
          toolCalls: response.output.flatMap((item) => {
            if (item.type === 'function_call') return [namedCall(item)];
            return item.type === 'custom_tool_call' ? [{ name: item.name, arguments: item.input }] : [];
          }),
          finish: response.incomplete_details?.reason ?? response.status ?? null,
          promptTokens: response.usage?.input_tokens ?? 0,
          completionTokens: response.usage?.output_tokens ?? 0,
        };
      });
    });

    test.each([false, true])('anthropic, messages, streamed: %p', async (stream) => {
      await compareAll(recordingsOf('anthropic', 'messages', stream), async (recording) => {
        const { messages } = new Anthropic({
          apiKey: 'k',
          maxRetries: 0,
          logLevel: 'off',
          fetch: answering(recording),
        });
        const request = { model: 'm', max_tokens: 5, messages: user };
        const message = stream ? await messages.stream(request).finalMessage() : await messages.create(request);
        const { usage } = message;
        return {
          text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
          toolCalls: message.content.flatMap((block) =>
            block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
          ),
          finish: message.stop_reason,
          promptTokens:
            usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
          completionTokens: usage.output_tokens,
        };
      });
    });

    describe('google', () => {
      let current: Recording | undefined;
      let server: ReturnType<typeof Bun.serve> | undefined;
      beforeAll(() => {
        server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answering(current as Recording)('') });
      });
      afterAll(() => server?.stop(true));

      test.each([false, true])('gemini, generateContent, streamed: %p', async (stream) => {
        const options = { apiKey: 'k', httpOptions: { baseUrl: `http://127.0.0.1:${server?.port}` } };
        const { models } = new GoogleGenAI(options);
        const request = { model: 'm', contents: 'Hello' };
        await compareAll(recordingsOf('gemini', 'generateContent', stream), async (recording) => {
          current = recording;
          const chunks: GenerateContentResponse[] = [];
          if (stream) for await (const chunk of await models.generateContentStream(request)) chunks.push(chunk);
          else chunks.push(await models.generateContent(request));
          return geminiReading(chunks);
        });
      });
    });
  });
}

function geminiReading(chunks: readonly GenerateContentResponse[]): Reading {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const usage = chunks.map((chunk) => chunk.usageMetadata).filter((one) => one !== undefined);
  const last = usage.at(-1);
  const finish = chunks.map((chunk) => chunk.candidates?.[0]?.finishReason).findLast((one) => one !== undefined);
  return {
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    toolCalls: chunks
      .flatMap((chunk) => chunk.functionCalls ?? [])
      .map((call) => ({ name: call.name ?? '', arguments: call.args ?? {} })),
    finish: finish === undefined ? null : String(finish),
    promptTokens: (last?.promptTokenCount ?? 0) + (last?.toolUsePromptTokenCount ?? 0),
    completionTokens: (last?.candidatesTokenCount ?? 0) + (last?.thoughtsTokenCount ?? 0),
  };
}

function openai(recording: Recording): OpenAI {
  return new OpenAI({ apiKey: 'k', maxRetries: 0, logLevel: 'off', fetch: answering(recording) });
}

function namedCall(call: { readonly name: string; readonly arguments: string }): Reading['toolCalls'][number] {
  return { name: call.name, arguments: parseJson(call.arguments) ?? call.arguments };
}

async function compareAll(recordings: readonly Recording[], read: (one: Recording) => Promise<Reading>): Promise<void> {
  expect(recordings.length).toBeGreaterThan(0);
  const differences: unknown[] = [];
  for (const recording of recordings) {
    const own = readingOf(readRecordedAnswer(recording));
    const theirs = await read(recording).catch((error: unknown) => String(error));
    if (!Bun.deepEquals(own, theirs)) differences.push({ file: recording.file, own, theirs });
  }
  expect(differences).toEqual([]);
}
