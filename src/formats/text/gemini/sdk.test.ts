import { describe, expect, test } from 'bun:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { endpoints } from './endpoints.ts';
import { gemini } from './index.ts';
import { context, decoded, encodeStream, ROUTING, utf8 } from './testing/support.ts';

/* Checks how the vendor's own SDK reads the gateway's answers, from a server that stands in for the gateway. */

const usage: Usage = { input: 7, cachedInput: 3, cacheWrite: 0, output: 5, reasoning: 2, source: 'reported' };
const foreign = { family: 'anthropic', data: 'c2lnbmF0dXJl', provider: 'anthropic', channel: 'a' } as const;

const ANSWER: readonly StreamPart[] = [
  { type: 'start', id: 'msg_1', created: null },
  { type: 'reasoning-start', candidate: 0 },
  { type: 'reasoning-delta', candidate: 0, text: 'Let me ' },
  { type: 'reasoning-delta', candidate: 0, text: 'think' },
  { type: 'reasoning-end', candidate: 0, state: foreign },
  { type: 'text-start', candidate: 0 },
  { type: 'text-delta', candidate: 0, text: 'Grüße ' },
  { type: 'text-delta', candidate: 0, text: '"you"\n\n' },
  { type: 'text-end', candidate: 0 },
  { type: 'tool-call-start', candidate: 0, id: 'toolu_1', name: 'add' },
  { type: 'tool-call-delta', candidate: 0, arguments: '{"x":' },
  { type: 'tool-call-delta', candidate: 0, arguments: '1}' },
  { type: 'tool-call-end', candidate: 0 },
  { type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'tool_use' } },
  { type: 'usage', usage },
  { type: 'end' },
];

interface Seen {
  readonly url: string;
  readonly key: string | null;
  readonly body: any;
}

async function withServer<Result>(
  answer: (url: string) => Response,
  use: (client: GoogleGenAI, seen: Seen[]) => Promise<Result>,
): Promise<Result> {
  const seen: Seen[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      seen.push({ url: request.url, key: gemini.secret(request.headers, request.url), body: await request.json() });
      return answer(request.url);
    },
  });
  try {
    return await use(
      new GoogleGenAI({ apiKey: 'sk-1', apiVersion: 'v1beta', httpOptions: { baseUrl: server.url.href } }),
      seen,
    );
  } finally {
    await server.stop(true);
  }
}

function streamed(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

describe('@google/genai', () => {
  test('reads a stream', async () => {
    await withServer(
      () => streamed(encodeStream(ANSWER)),
      async (client, seen) => {
        const chunks = await Array.fromAsync(await client.models.generateContentStream({ model: 'm', contents: 'Hi' }));
        const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
        const said = (thought: boolean) =>
          parts
            .filter((part) => (part.thought === true) === thought)
            .map(({ text }) => text ?? '')
            .join('');
        expect(said(true)).toBe('Let me think');
        expect(said(false)).toBe('Grüße "you"\n\n');
        expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual([
          { name: 'add', args: { x: 1 }, id: 'toolu_1' },
        ]);
        const last = chunks.at(-1);
        expect(last?.candidates?.[0]?.finishReason as string).toBe('STOP');
        expect(last?.usageMetadata).toEqual({
          promptTokenCount: 10,
          cachedContentTokenCount: 3,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 2,
          totalTokenCount: 17,
        });
        expect(last?.modelVersion).toBe('public-model');
        expect(endpoints[0]?.call(seen[0]?.url ?? '')).toMatchObject({ model: 'm', stream: true, framing: 'sse' });
        expect(seen[0]?.key).toBe('sk-1');
      },
    );
  });

  test('returns another family’s state with its whole text in a chat, and matches function responses', async () => {
    await withServer(
      () => streamed(encodeStream(ANSWER)),
      async (client, seen) => {
        const chat = client.chats.create({ model: 'm' });
        await Array.fromAsync(await chat.sendMessageStream({ message: 'Hi' }));
        const response = { functionResponse: { name: 'add', response: { output: '2' } } };
        await Array.fromAsync(await chat.sendMessageStream({ message: [response] }));
        const { messages } = decoded(seen[1]?.body);
        expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
        expect(messages[1]?.parts[0]).toMatchObject({ type: 'reasoning', text: 'Let me think', state: foreign });
        expect(messages[1]?.parts.find(({ type }) => type === 'tool-call')).toMatchObject({
          id: 'toolu_1',
          name: 'add',
        });
        expect(messages[2]?.parts[0]).toMatchObject({ type: 'tool-result', id: 'toolu_1', name: 'add' });
      },
    );
  });

  test('raises an error in mid-stream', async () => {
    const failure = new Failure('upstream_error', { message: 'The upstream broke off.', kind: 'truncated_stream' });
    const text = encodeStream(ANSWER.slice(0, 8)) + gemini.encodeStreamFailure(failure, null);
    await withServer(
      () => streamed(text),
      async (client) => {
        const stream = await client.models.generateContentStream({ model: 'm', contents: 'Hi' });
        const error = await Array.fromAsync(stream).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status: 502 });
        expect(String(error)).toContain('The upstream broke off.');
      },
    );
  });

  test('raises an error response with its status', async () => {
    const { status, headers, body } = gemini.encodeFailure(
      new Failure('model_not_found', { message: 'No such model.' }),
    );
    await withServer(
      () => new Response(body, { status, headers }),
      async (client) => {
        const error = await client.models
          .generateContent({ model: 'm', contents: 'Hi' })
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'ApiError', status: 404 });
      },
    );
  });

  test('reads a whole response', async () => {
    const body = gemini.encodeAnswer(
      {
        id: 'resp_1',
        created: null,
        candidates: [
          {
            index: 0,
            parts: [
              { type: 'reasoning', text: 'Hm' },
              { type: 'text', text: 'Hello' },
              { type: 'tool-call', id: 'c1', name: 'add', arguments: '' },
            ],
            finish: { unified: 'tool-calls', raw: null },
          },
        ],
        usage,
      },
      context(),
    );
    await withServer(
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      async (client) => {
        const answer = await client.models.generateContent({ model: 'm', contents: 'Hi' });
        expect(answer.candidates?.[0]?.content?.parts?.map(({ text }) => text)).toEqual(['Hm', 'Hello', undefined]);
        expect(answer.functionCalls).toEqual([{ name: 'add', args: {}, id: 'c1' }]);
        expect(JSON.parse(body)).toMatchObject({
          modelVersion: 'public-model',
          responseId: 'fresh1',
          _routing: JSON.parse(ROUTING),
        });
      },
    );
  });

  test('counts tokens', async () => {
    const body = gemini.encodeTokenCount?.(42, false, context()) ?? '';
    expect(gemini.counting?.decodeAnswer(utf8(body))).toBe(42);
    await withServer(
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      async (client) => expect((await client.models.countTokens({ model: 'm', contents: 'Hi' })).totalTokens).toBe(42),
    );
  });
});
