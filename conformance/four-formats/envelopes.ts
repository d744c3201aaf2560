import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { accountWith, channelTo, clientKey, keyNamed, refusal, startUpstream } from '../first-light/upstream.ts';
import { judgeError } from '../judges/index.ts';
import { asObject, isObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { TestClock } from '../shared/test-clock.ts';
import { Workspace } from '../shared/workspace.ts';

/* Every error that the gateway raises, in each format's own envelope, checked against the published documents and the official SDKs. */

/** `againstDocuments`: whether responses are also checked against the published documents, which must be present. */
export function describeEnvelopes({ againstDocuments }: { readonly againstDocuments: boolean }): void {
  const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
  type Format = (typeof FORMATS)[number];

  const MODELS = ['fine', 'bad-request', 'no-key', 'no-quota', 'limited', 'down', 'broken-stream', 'forbidden'];

  function refusing({
    model,
    stream,
  }: {
    readonly model: string;
    readonly stream: boolean;
  }): Response | Promise<Response> {
    switch (model) {
      case 'bad-request':
        return refusal(400, 'temperature is too hot');
      case 'no-key':
        return refusal(401, 'Incorrect API key provided: sk-secret-of-the-channel');
      case 'no-quota':
        return Response.json({ error: { message: 'pay', code: 'insufficient_quota' } }, { status: 429 });
      case 'limited':
        return refusal(429, 'Rate limit reached', { 'retry-after': '7' });
      case 'down':
        return refusal(500, 'oh no');
      case 'slow':
        return new Promise(() => undefined);
      case 'broken-stream':
        if (stream) {
          const chunk = {
            id: 'c',
            object: 'chat.completion.chunk',
            created: 1,
            model,
            choices: [{ index: 0, delta: { content: 'Hel' } }],
          };
          const body = `data: ${JSON.stringify(chunk)}\n\ndata: {"error":{"message":"the engine fell out","type":"server_error"}}\n\n`;
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        }
        return new Response('<html>no</html>', { headers: { 'content-type': 'text/html' } });
      default:
        return refusal(400, 'unexpected');
    }
  }

  const upstream = startUpstream((request) => refusing(request));
  let space: Workspace;
  let serving: Serving;
  let origin: string;

  beforeAll(async () => {
    space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [
        channelTo(upstream, {
          models: MODELS,
          // Each failure is provoked in all formats; the breaker has its own suite.
          breaker: { minimum_requests: 1000 },
        }),
        channelTo(upstream, { id: 'silent', models: ['slow'], timeouts: { first_byte_ms: 400 } }),
      ],
      accounts: [accountWith('acme', [keyNamed('main'), keyNamed('narrow', { models: ['fine'] })])],
      server: { max_body_bytes: 20_000 },
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG }, clock: new TestClock() });
    origin = serving.baseUrl.replace(/\/v1$/, '');
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  interface Asked {
    readonly key?: string;
    readonly model?: string;
    readonly stream?: boolean;
    readonly body?: string;
  }

  function urlOf(format: Format, model: string, stream: boolean): string {
    if (format === 'openai-chat') return `${origin}/v1/chat/completions`;
    if (format === 'openai-responses') return `${origin}/v1/responses`;
    if (format === 'anthropic-messages') return `${origin}/v1/messages`;
    return `${origin}/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  }

  function bodyOf(format: Format, model: string, stream: boolean): object {
    const messages = [{ role: 'user', content: 'Hello' }];
    if (format === 'openai-chat') return { model, messages, stream };
    if (format === 'openai-responses') return { model, input: 'Hello', stream };
    if (format === 'anthropic-messages') return { model, max_tokens: 100, messages, stream };
    return { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
  }

  async function ask(format: Format, { key = clientKey('main'), model = 'fine', stream = false, body }: Asked) {
    const answer = await fetch(urlOf(format, model, stream), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body ?? JSON.stringify(bodyOf(format, model, stream)),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  const ROWS: readonly [string, Asked, number][] = [
    ['an unknown key', { key: 'sk-unknown-key-of-nobody' }, 401],
    ['a model that the key may not use', { key: clientKey('narrow'), model: 'down' }, 403],
    ['an unknown model', { model: 'nothing' }, 404],
    ['a body that is too large', { body: JSON.stringify({ filler: 'x'.repeat(30_000) }) }, 413],
    ['a body that is not JSON', { body: '{' }, 400],
    ['an empty body', { body: '' }, 400],
    ["an upstream's 400", { model: 'bad-request' }, 400],
    ["a channel's bad key", { model: 'no-key' }, 502],
    ["a channel's spent quota", { model: 'no-quota' }, 502],
    ["an upstream's rate limit", { model: 'limited' }, 429],
    ["an upstream's 500", { model: 'down' }, 502],
    ['an upstream with an invalid response', { model: 'broken-stream' }, 502],
    ['an upstream that never responds', { model: 'slow' }, 504],
  ];

  for (const format of FORMATS) {
    describe(`${format}: the envelope of`, () => {
      test.each(ROWS as [string, Asked, number][])('%s', async (_what, asked, status) => {
        const answer = await ask(format, asked);
        expect(answer.status).toBe(status);
        expect(answer.headers.get('content-type')).toContain('application/json');
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
        expect(answer.text).not.toMatch(/sk-(secret|unknown|first)/);
        expect(answer.text).not.toMatch(/\bat .*\.ts:\d+/);
        const body = parseJson(answer.text);
        if (againstDocuments) expect(judgeError(format, body)).toEqual([]);
        const error = asObject(asObject(body).error);
        expect(String(error.message).length).toBeGreaterThan(8);
        // The gateway's clock stands still.
        if (status === 429) expect(answer.headers.get('retry-after')).toBe('7');
      });

      test('a stream that breaks off ends with an error frame and no regular end', async () => {
        const { status, text } = await ask(format, { model: 'broken-stream', stream: true });
        expect(status).toBe(200);
        expect(text).toContain('Hel');
        expect(text).toContain('the engine fell out');
        for (const end of ['[DONE]', 'message_stop', 'response.completed', '"finishReason"'])
          expect(text).not.toContain(end);
      });
    });
  }

  describe('official SDKs raise', () => {
    async function thrownBy(call: () => PromiseLike<unknown>): Promise<unknown> {
      try {
        await call();
      } catch (error) {
        return error;
      }
      return null;
    }
    const status = (error: unknown) =>
      isObject(error) || error instanceof Error ? Reflect.get(error as object, 'status') : null;

    test('openai chat and responses', async () => {
      const client = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
      const chat = (model: string) => () =>
        client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
      expect(await thrownBy(chat('nothing'))).toBeInstanceOf(OpenAI.NotFoundError);
      expect(await thrownBy(chat('limited'))).toBeInstanceOf(OpenAI.RateLimitError);
      expect(status(await thrownBy(chat('down')))).toBe(502);
      const stream = () => client.responses.stream({ model: 'broken-stream', input: 'Hi' }).finalResponse();
      expect(String(await thrownBy(stream))).toContain('the engine fell out');
      const chunks = async () => {
        const messages = [{ role: 'user' as const, content: 'Hi' }];
        for await (const _ of await client.chat.completions.create({ model: 'broken-stream', messages, stream: true }));
      };
      expect(String(await thrownBy(chunks))).toContain('the engine fell out');
    });

    test('@anthropic-ai/sdk', async () => {
      const client = new Anthropic({ baseURL: origin, apiKey: clientKey('main'), maxRetries: 0 });
      const body = (model: string) => ({ model, max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] });
      const create = (model: string) => () => client.messages.create(body(model));
      expect(await thrownBy(create('nothing'))).toBeInstanceOf(Anthropic.NotFoundError);
      expect(await thrownBy(create('limited'))).toBeInstanceOf(Anthropic.RateLimitError);
      expect(status(await thrownBy(create('down')))).toBe(502);
      expect(String(await thrownBy(() => client.messages.stream(body('broken-stream')).finalMessage()))).toContain(
        'engine fell out',
      );
      const wrong = new Anthropic({ baseURL: origin, apiKey: 'sk-wrong', maxRetries: 0 });
      expect(await thrownBy(() => wrong.messages.create(body('fine')))).toBeInstanceOf(Anthropic.AuthenticationError);
    });

    test('@google/genai', async () => {
      const client = new GoogleGenAI({ apiKey: clientKey('main'), httpOptions: { baseUrl: origin } });
      const generate = (model: string) => () => client.models.generateContent({ model, contents: 'Hi' });
      for (const [model, code] of [
        ['nothing', 404],
        ['limited', 429],
        ['down', 502],
      ] as const) {
        const error = await thrownBy(generate(model));
        expect(error).toBeInstanceOf(ApiError);
        expect(status(error)).toBe(code);
      }
      const stream = async () => {
        for await (const _ of await client.models.generateContentStream({ model: 'broken-stream', contents: 'Hi' }));
      };
      expect(String(await thrownBy(stream))).toContain('engine fell out');
    });
  });

  describe('keys are accepted wherever each format has them', () => {
    const wrongWay: readonly [Format, Record<string, string>, string, number][] = [
      ['anthropic-messages', { 'x-api-key': clientKey('main') }, '', 400],
      ['anthropic-messages', { authorization: `Bearer ${clientKey('main')}` }, '', 400],
      ['gemini', { 'x-goog-api-key': clientKey('main') }, '', 400],
      ['gemini', { authorization: `Bearer ${clientKey('main')}` }, '', 400],
      ['gemini', {}, `?key=${clientKey('main')}`, 400],
      ['gemini', {}, '?key=sk-wrong', 401],
      ['openai-chat', { 'x-api-key': clientKey('main') }, '', 400],
      ['openai-responses', { 'x-goog-api-key': clientKey('main') }, '', 400],
      ['openai-responses', {}, `?key=${clientKey('main')}`, 401],
      ['anthropic-messages', {}, '', 401],
      ['gemini', {}, '', 401],
    ];
    test.each(wrongWay as [Format, Record<string, string>, string, number][])(
      '%s %p %s',
      async (format, headers, query, status) => {
        const answer = await fetch(urlOf(format, 'bad-request', false) + query, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(bodyOf(format, 'bad-request', false)),
        });
        expect(answer.status).toBe(status);
      },
    );
  });
}
