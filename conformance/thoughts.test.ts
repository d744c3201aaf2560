import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asArray, asObject, type JsonObject } from './shared/json.ts';

/*
 * Responses without tool calls from models that reason even unasked: what the official SDKs take for the response, and the state that the
 * upstream receives in the next turn.
 */

const THOUGHT = 'They greet me.';
const SIGNATURE = Buffer.from('the signature of a text').toString('base64');

/** The bodies that the upstreams received, by the name in the prompt. */
const asked = new Map<string, JsonObject[]>();
let server: ReturnType<typeof Bun.serve>;
let gateway: Gateway;

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text();
      const body = JSON.parse(text) as JsonObject;
      const name = /\(case:([\w-]+)\)/.exec(text)?.[1] ?? '';
      const bodies = asked.get(name) ?? [];
      asked.set(name, [...bodies, body]);
      const words = `Hello ${name} ${bodies.length}.`;
      const { pathname } = new URL(request.url);
      if (!pathname.includes('gemini')) return chatAnswer(words, body.stream === true);
      const config = asObject(asObject(body.generationConfig).thinkingConfig);
      return geminiAnswer(words, pathname.includes('stream'), config.includeThoughts === true);
    },
  });
  const channel = (id: string, provider: string, format: string, model: string) => ({
    ...{ id, name: id, provider, api_key: 'upstream-key', formats: [format], models: { [id]: model } },
    base_url: `http://127.0.0.1:${server.port}/${id}`,
  });
  gateway = await startGatewayWith([
    channel('gemini', 'google', 'gemini', 'gemini-3.1-pro-preview'),
    channel('deepseek', 'deepseek', 'openai-chat', 'deepseek-v4-pro'),
  ]);
}, 600_000);

afterAll(async () => {
  await gateway?.stop();
  await server?.stop(true);
});

function events(data: readonly unknown[]): Response {
  const text = data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

/** A stream ends with the signature in an empty text after the whole text. */
function geminiAnswer(words: string, streams: boolean, shows: boolean): Response {
  const chunk = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, thoughtsTokenCount: 5, totalTokenCount: 15 },
  });
  const thoughts = shows ? [{ text: THOUGHT, thought: true }] : [];
  if (!streams) return Response.json(chunk([...thoughts, { text: words, thoughtSignature: SIGNATURE }], 'STOP'));
  const [first, ...others] = words.split(/(?= )/);
  return events([
    ...thoughts.map((part) => chunk([part])),
    ...[first, ...others].map((text) => chunk([{ text }])),
    chunk([{ text: '', thoughtSignature: SIGNATURE }], 'STOP'),
  ]);
}

function chatAnswer(content: string, streams: boolean): Response {
  const head = { id: 'chatcmpl-1', created: 1, model: 'thinker' };
  const message = { role: 'assistant', content, reasoning_content: THOUGHT };
  if (!streams) return Response.json({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return events([chunk({ reasoning_content: THOUGHT }), chunk({ content }), chunk({}, 'stop'), '[DONE]']);
}

interface Case {
  readonly model: string;
  readonly streams: boolean;
  readonly asks: boolean;
  readonly prompts: readonly string[];
}

/** A response as the client sees it: the kinds of its blocks, items or parts in order, and its reasoning text. */
interface Shown {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly thoughts: string;
}

type Client = (one: Case) => Promise<readonly Shown[]>;

const CLIENTS: Readonly<Record<string, Client>> = {
  async 'anthropic-messages'({ model, streams, asks, prompts }) {
    const sdk = new Anthropic({ baseURL: gateway.origin, apiKey: gateway.apiKey, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    const shown: Shown[] = [];
    for (const content of prompts) {
      messages.push({ role: 'user', content });
      const thinking = asks ? { thinking: { type: 'enabled' as const, budget_tokens: 1_024 } } : {};
      const request = { model, max_tokens: 2_000, messages, ...thinking };
      const answer = streams
        ? await sdk.messages.stream(request).finalMessage()
        : await sdk.messages.create({ ...request, stream: false });
      messages.push({ role: 'assistant', content: answer.content });
      const last = answer.content.at(-1);
      shown.push({
        text: last?.type === 'text' ? last.text : '',
        kinds: answer.content.map(({ type }) => type),
        thoughts: answer.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      });
    }
    return shown;
  },
  async 'openai-responses'({ model, streams, asks, prompts }) {
    const sdk = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.apiKey, maxRetries: 0 });
    const input: ResponseInputItem[] = [];
    const shown: Shown[] = [];
    for (const content of prompts) {
      input.push({ role: 'user', content });
      const request = { model, input, store: false, ...(asks && { reasoning: { summary: 'auto' as const } }) };
      const answer = streams
        ? await sdk.responses.stream({ ...request, stream: true }).finalResponse()
        : await sdk.responses.create({ ...request, stream: false });
      input.push(...(answer.output as ResponseInputItem[]));
      const summaries = answer.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
      shown.push({
        text: answer.output_text,
        kinds: answer.output.map(({ type }) => type),
        thoughts: summaries.map(({ text }) => text).join(''),
      });
    }
    return shown;
  },
  async gemini({ model, streams, asks, prompts }) {
    const httpOptions = { baseUrl: gateway.origin, apiVersion: 'v1beta' };
    const sdk = new GoogleGenAI({ apiKey: gateway.apiKey, httpOptions });
    const contents: Content[] = [];
    const shown: Shown[] = [];
    for (const text of prompts) {
      contents.push({ role: 'user', parts: [{ text }] });
      const request = { model, contents, config: asks ? { thinkingConfig: { includeThoughts: true } } : {} };
      const chunks = streams
        ? await Array.fromAsync(await sdk.models.generateContentStream(request))
        : [await sdk.models.generateContent(request)];
      const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
      contents.push({ role: 'model', parts });
      const textOf = (isThought: boolean) =>
        parts.map((part) => ((part.thought === true) === isThought ? part.text : '')).join('');
      const kinds = parts.map(({ thought }) => (thought ? 'thought' : 'text'));
      shown.push({ text: textOf(false), kinds, thoughts: textOf(true) });
    }
    return shown;
  },
  async 'openai-chat'({ model, streams, asks, prompts }) {
    const sdk = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.apiKey, maxRetries: 0 });
    const messages: ChatCompletionMessageParam[] = [];
    const shown: Shown[] = [];
    for (const content of prompts) {
      messages.push({ role: 'user', content });
      const request = { model, messages, ...(asks && { reasoning_effort: 'low' as const }) };
      const chunks = streams
        ? (await Array.fromAsync(await sdk.chat.completions.create({ ...request, stream: true }))).map(
            (one) => one.choices[0]?.delta,
          )
        : [(await sdk.chat.completions.create(request)).choices[0]?.message];
      const textOf = (key: string) => chunks.map((delta) => asObject(delta)[key] ?? '').join('');
      // Sends back only OpenAI's own fields, as most clients do.
      messages.push({ role: 'assistant', content: textOf('content') });
      shown.push({ text: textOf('content'), kinds: ['text'], thoughts: textOf('reasoning_content') });
    }
    return shown;
  },
};

/** Returns the text and the state of the first response that the upstream received. */
function returned(model: string, body: JsonObject | undefined): unknown {
  if (model === 'deepseek') {
    const [message] = asArray(body?.messages)
      .map(asObject)
      .filter(({ role }) => role === 'assistant');
    return [message?.content, message?.reasoning_content];
  }
  const turns = asArray(body?.contents)
    .map(asObject)
    .filter(({ role }) => role === 'model');
  const parts = turns.flatMap((turn) => asArray(turn.parts).map(asObject));
  return [parts.map(({ text }) => text).join(''), parts.map((part) => part.thoughtSignature ?? '').join('')];
}

const pairs = ['gemini', 'deepseek'].flatMap((model) =>
  Object.entries(CLIENTS).flatMap(([format, client]) =>
    format === model || (format === 'openai-chat' && model === 'deepseek') ? [] : [[model, format, client] as const],
  ),
);

describe.each(pairs)('a response of %s to a client of %s', (model, format, client) => {
  describe.each([false, true])('streamed: %p', (streams) => {
    test.concurrent.each([true, false])('with reasoning requested: %p', async (asks) => {
      const name = [model, format, streams ? 'stream' : 'whole', asks ? 'asked' : 'unasked'].join('-');
      const prompts = [`Hi (case:${name})`, 'And now?'];
      const shown = await client({ model, streams, asks, prompts });
      expect(shown.map(({ text }) => text)).toEqual([`Hello ${name} 0.`, `Hello ${name} 1.`]);
      const isChat = format === 'openai-chat';
      for (const { kinds, thoughts } of shown) {
        expect(kinds.at(-1)).toBe(format === 'openai-responses' ? 'message' : 'text');
        const sees = isChat ? model === 'deepseek' || asks : asks;
        expect(thoughts).toBe(sees ? THOUGHT : '');
        if (!asks && format === 'anthropic-messages') expect(kinds).toEqual(['text']);
      }
      const state = model === 'gemini' ? SIGNATURE : THOUGHT;
      expect(returned(model, asked.get(name)?.[1])).toEqual([`Hello ${name} 0.`, state]);
    });
  });
});
