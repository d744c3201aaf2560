import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { schemasOf } from '../judges/documents.ts';
import { judgeAs } from '../judges/index.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* Token counts: by the provider if it supports them, otherwise by the tokenizer, which is reported. */

/** `againstDocuments`: whether responses are also checked against the published documents, which must be present. */
export function describeTokenCounts({ againstDocuments }: { readonly againstDocuments: boolean }): void {
  interface Received {
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
  }

  const RESPONSE = {
    id: 'resp_upstream1',
    object: 'response',
    status: 'completed',
    model: 'gpt-5.1',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello!', annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };

  const received: Received[] = [];
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = asObject(parseJson(await request.text()));
      received.push({ path: pathname, body });
      if (JSON.stringify(body).includes('anthropic-down')) return Response.json({}, { status: 500 });
      if (pathname.endsWith('/messages/count_tokens')) return Response.json({ input_tokens: 4711 });
      if (pathname.endsWith('/responses/input_tokens')) {
        return Response.json({ object: 'response.input_tokens', input_tokens: 2342 });
      }
      if (pathname.endsWith('/responses')) return Response.json(RESPONSE);
      if (pathname.endsWith(':countTokens')) return Response.json({ totalTokens: 815, promptTokensDetails: [] });
      return Response.json({ error: { message: 'not a count' } }, { status: 400 });
    },
  });
  const address = `http://127.0.0.1:${upstream.port}`;

  let space: Workspace;
  let serving: Serving;
  let anthropic: Anthropic;
  let google: GoogleGenAI;
  let openai: OpenAI;

  beforeAll(async () => {
    space = await Workspace.create();
    const channel = (provider: string, models: Record<string, string>) => ({
      id: provider,
      provider,
      base_url: `${address}/v1`,
      api_key: 'upstream-key',
      models,
    });
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [
        channel('anthropic', { claude: 'claude-sonnet-4-6', 'claude-down': 'anthropic-down' }),
        channel('google', { gemini: 'gemini-2.5-flash' }),
        channel('openai-compatible', { other: 'other' }),
        channel('openai', { gpt: 'gpt-5.1' }),
      ],
      accounts: [accountWith('acme', [keyNamed('main')])],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    const origin = serving.baseUrl.replace(/\/v1$/, '');
    anthropic = new Anthropic({ baseURL: origin, apiKey: clientKey('main'), maxRetries: 0 });
    openai = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
    google = new GoogleGenAI({ apiKey: clientKey('main'), httpOptions: { baseUrl: origin } });
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop(true);
  });

  const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' as const, properties: {} } }];
  const count = (model: string) =>
    anthropic.messages.countTokens({
      model,
      system: 'Be kind.',
      tools,
      messages: [{ role: 'user', content: 'Hello there' }],
    });

  test('in the same format, the provider counts the client’s own bytes', async () => {
    const answer = await count('claude');
    expect(answer).toMatchObject({ input_tokens: 4711, _routing: { channel: { id: 'anthropic' } } });
    expect(received.at(-1)).toEqual({
      path: '/v1/messages/count_tokens',
      body: {
        model: 'claude-sonnet-4-6',
        system: 'Be kind.',
        tools,
        messages: [{ role: 'user', content: 'Hello there' }],
      },
    });
  });

  test('in another format, the provider counts the translated request', async () => {
    expect(await count('gemini')).toMatchObject({ input_tokens: 815 });
    expect(received.at(-1)?.path).toEndWith('/models/gemini-2.5-flash:countTokens');
    expect(JSON.stringify(received.at(-1)?.body)).toContain('Hello there');
    expect(JSON.stringify(received.at(-1)?.body)).toContain('Be kind.');
    const answer = await google.models.countTokens({ model: 'claude', contents: 'Hello there' });
    expect(answer.totalTokens).toBe(4711);
  });

  test('if the provider cannot count, the tokenizer estimates, and the response says so', async () => {
    const answer = await count('other');
    expect(answer).toMatchObject({ estimated: true });
    expect(answer.input_tokens).toBeWithin(10, 60);
    const longer = await anthropic.messages.countTokens({
      model: 'other',
      messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
    });
    expect(longer.input_tokens).toBeWithin(1_000, 1_020);
  });

  test('if the provider fails to count, the tokenizer estimates', async () => {
    expect(await count('claude-down')).toMatchObject({ estimated: true });
  });

  describe('POST /v1/responses/input_tokens', () => {
    const input = [{ role: 'user' as const, content: 'Hello there' }];
    const countInput = (model: string, members: OpenAI.Responses.InputTokenCountParams = {}) =>
      openai.responses.inputTokens.count({ model, instructions: 'Be kind.', input, ...members });

    test('OpenAI counts the client’s own bytes', async () => {
      const answer = await countInput('gpt', { text: { verbosity: 'low' } });
      expect(answer).toMatchObject({
        object: 'response.input_tokens',
        input_tokens: 2342,
        _routing: { channel: { id: 'openai' } },
      });
      if (againstDocuments) expect(judgeAs('openai', 'TokenCountsResource', answer)).toEqual([]);
      expect(received.at(-1)).toEqual({
        path: '/v1/responses/input_tokens',
        body: { model: 'gpt-5.1', instructions: 'Be kind.', input, text: { verbosity: 'low' } },
      });
    });

    test('other providers count the translated request', async () => {
      expect(await countInput('claude')).toMatchObject({ object: 'response.input_tokens', input_tokens: 4711 });
      expect(await countInput('gemini')).toMatchObject({ input_tokens: 815 });
      expect(JSON.stringify(received.at(-1)?.body)).toContain('Be kind.');
    });

    test('OpenAI counts requests of other formats, and gets no field that it does not support', async () => {
      expect(await count('gpt')).toMatchObject({ input_tokens: 2342 });
      const { path, body = {} } = received.at(-1) ?? {};
      expect(path).toBe('/v1/responses/input_tokens');
      if (againstDocuments) {
        const { properties } = schemasOf('openai', 'request').TokenCountsBody ?? {};
        expect(Object.keys(asObject(properties))).toContainValues(Object.keys(body));
      }
      expect(JSON.stringify(body)).toContain('Hello there');
      expect((await google.models.countTokens({ model: 'gpt', contents: 'Hello there' })).totalTokens).toBe(2342);
    });

    test('without a provider that counts, the tokenizer estimates', async () => {
      const answer = await countInput('other');
      expect(answer).toMatchObject({ object: 'response.input_tokens', estimated: true });
      if (againstDocuments) expect(judgeAs('openai', 'TokenCountsResource', answer)).toEqual([]);
      expect(answer.input_tokens).toBeWithin(5, 40);
      // Instructions without input have tokens, too.
      expect(
        (await openai.responses.inputTokens.count({ model: 'other', instructions: 'Be kind.' })).input_tokens,
      ).toBe(10);
    });

    test('earlier turns count: by id if the provider stores them, otherwise in full', async () => {
      const first = await openai.responses.create({ model: 'gpt', input: 'What is the capital of France?' });
      const follow = { previous_response_id: first.id, input: 'And its river?' };
      await countInput('gpt', follow);
      expect(received.at(-1)?.body).toMatchObject(follow);
      await countInput('claude', follow);
      const sent = JSON.stringify(received.at(-1)?.body);
      for (const text of ['capital of France', 'Hello!', 'its river']) expect(sent).toContain(text);
      const short = await countInput('other', { input: 'And its river?' });
      const whole = await countInput('other', follow);
      expect(whole.input_tokens).toBeGreaterThan(short.input_tokens + 8);
    });

    test('a missing field is named', async () => {
      const failed = (members: object) =>
        openai.responses.inputTokens.count(members).then(
          () => null,
          (error: unknown) => error,
        );
      expect(await failed({ input: 'Hi' })).toMatchObject({ status: 400, param: 'model' });
      expect(await failed({ model: 'gpt' })).toMatchObject({ status: 400, param: 'input' });
      expect(await failed({ model: 'gpt', input: 'Hi', previous_response_id: 'resp_nobodys' })).toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
      });
    });
  });
}
