import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { gathered } from './completions/gathered.ts';
import { testTranslatedCompletions } from './completions/translated.ts';
import { startCompletionsUpstream, TEXT, USAGE, wholeBody } from './completions/upstream.ts';
import { accountWith, channelTo, clientKey, keyNamed } from './first-light/upstream.ts';
import { asObject, parseJson } from './shared/json.ts';
import { ownExchanges } from './shared/recordings.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* Text completions with the official SDK, relayed to an upstream that has the endpoint or sent as chats. */

const upstream = startCompletionsUpstream();
let space: Workspace;
let serving: Serving;
let openai: OpenAI;

beforeAll(async () => {
  space = await Workspace.create();
  const names = ['story', 'cut', 'broken', 'limited', 'strict', 'endless', 'no-streams', 'chat-only'];
  const channels = [
    channelTo(upstream, {
      ...{ id: 'texts', formats: ['openai-completions', 'openai-chat'], breaker: { minimum_requests: 1_000 } },
      models: Object.fromEntries(names.map((name) => [`public-${name}`, name])),
    }),
    channelTo(upstream, { id: 'base', formats: ['openai-completions'], models: { 'base-model': 'story' } }),
    channelTo(upstream, { id: 'chats', formats: ['openai-chat'], models: { 'chat-model': 'some-chat' } }),
    { id: 'sandbox', provider: 'sandbox', models: ['sandbox/chat'] },
  ];
  const accounts = [
    accountWith('acme', [keyNamed('main')], { requests_per_minute: 1_000_000 }),
    accountWith('payer', [keyNamed('payer')], { billing: 'prepaid', balance_usd: '1' }),
  ];
  const pricing = { input_per_1m: '1000', output_per_1m: '2000' };
  const models = ['public-story', 'public-cut', 'public-chat-only'].map((id) => ({ id, pricing }));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', { channels, models, accounts });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  openai = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
});

afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

const origin = () => serving.baseUrl.replace(/\/v1$/, '');

function post(body: object, path = '/v1/completions', headers: object = {}): Promise<Response> {
  return fetch(origin() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey('main')}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('over an upstream of each format', () => testTranslatedCompletions(ownExchanges()));

describe('relayed', () => {
  test('only the model, the usage flag and _routing change in the relayed bytes', async () => {
    const body =
      '{"prompt": [[1,2],[3]],  "model":"public-story","suffix":"x","best_of":2,"odd":{"a":1.50},"echo":true,"logprobs":5}';
    const answer = await fetch(`${origin()}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clientKey('main')}`, 'content-type': 'application/json' },
      body,
    });
    expect(upstream.received.at(-1)).toEqual({ path: '/v1/completions', text: body.replace('public-story', 'story') });
    const expected = JSON.stringify(wholeBody('public-story', 2)).slice(0, -1);
    expect(await answer.text()).toStartWith(`${expected},"_routing":{"channel":{"id":"texts"`);
    expect(answer.headers.get('x-switchyard-losses')).toBeNull();
  });

  test.each([
    '/completions',
    '/v1/openai/completions',
    '/openai/deployments/public-story/completions?api-version=2024-10-21',
  ])('%s works, too', async (path) => {
    const model = path.includes('deployments') ? 'other' : 'public-story';
    const answer = await post({ model, prompt: 'Once' }, path);
    expect(asObject(parseJson(await answer.text())).model).toBe('public-story');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  test('a stream does not show usage that only the gateway requested', async () => {
    const { text, chunks, usage } = await gathered(
      await openai.completions.create({ model: 'public-story', prompt: 'Once', stream: true }),
    );
    expect([text, usage]).toEqual([TEXT, undefined]);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], _routing: {} });
    expect(upstream.received.at(-1)?.text).toContain('"stream_options":{"include_usage":true}');
  });

  test('a whole response is sent as a stream to a client that streams', async () => {
    const stream = await openai.completions.create({ model: 'public-no-streams', prompt: 'Once', stream: true });
    expect((await gathered(stream)).text).toBe(TEXT);
  });

  test('usage is recorded for whole responses and streams', async () => {
    const database = new Database(space.database, { readonly: true });
    const rows = database.query<{ stream: number; input_tokens: number; output_tokens: number }, []>(
      `select distinct stream, input_tokens, output_tokens from request_log
       where format = 'openai-completions' and model_id = 'public-story' and status = 200 order by stream`,
    );
    const counts = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };
    await until('both requests are in the log', async () => rows.all().length >= 2);
    expect(rows.all()).toEqual([
      { stream: 0, ...counts },
      { stream: 1, ...counts },
    ]);
  });

  test('a model without the endpoint is served by its chat endpoint, and directly from then on', async () => {
    upstream.received.length = 0;
    const ask = () => openai.completions.create({ model: 'public-chat-only', prompt: 'Once', echo: true });
    expect((await ask()).choices[0]?.text).toBe(`Once${TEXT}`);
    expect((await ask()).choices[0]?.text).toBe(`Once${TEXT}`);
    const paths = upstream.received.map(({ path }) => path);
    expect(paths).toEqual(['/v1/completions', '/v1/chat/completions', '/v1/chat/completions']);
  });
});

describe('a paying account', () => {
  const COST_USD = (USAGE.prompt_tokens * 1_000 + USAGE.completion_tokens * 2_000) / 1_000_000;
  const payer = () => new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('payer'), maxRetries: 0 });
  const balance = async () => {
    const { stdout } = await space.run(['accounts', 'balance', 'payer', '--json']);
    return Number(asObject(parseJson(stdout)).balance_usd);
  };

  test('is charged the usage that the upstream reports, for whole responses, streams and chats', async () => {
    const body = { prompt: 'Once', max_tokens: 50 };
    await payer().completions.create({ model: 'public-story', ...body });
    await gathered(await payer().completions.create({ model: 'public-story', ...body, stream: true }));
    await payer().completions.create({ model: 'public-chat-only', ...body });
    await until(
      'three requests are charged',
      async () => Math.abs((await balance()) - (1 - 3 * COST_USD)) < 1e-9,
      20_000,
    );
    expect((await space.run(['ledger', 'verify'])).exitCode).toBe(0);
  });

  test('needs balance for every choice of every prompt', async () => {
    const body = { model: 'public-story', prompt: ['a', 'b', 'c', 'd'], best_of: 4, n: 1, max_tokens: 50 };
    const failure = await payer()
      .completions.create(body)
      .catch((error) => error);
    expect([failure.status, failure.code]).toEqual([402, 'insufficient_balance']);
  });
});

describe('failures', () => {
  test.each([
    ['cut', 'before the response was complete'],
    ['broken', 'The GPU fell off'],
  ])('a stream that is %s raises an error after the text that arrived', async (name, message) => {
    const stream = await openai.completions.create({ model: `public-${name}`, prompt: 'Once', stream: true });
    let text = '';
    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.text ?? '';
    })();
    expect(await reading.then(() => null, String)).toContain(message);
    expect(text).toBe('and they lived happily');
  });

  test("a client error keeps the upstream's message", async () => {
    const failure = await openai.completions.create({ model: 'public-strict', prompt: 'Once' }).catch((error) => error);
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure.message).toContain('Unrecognized request argument');
  });

  test('a rate limit of the upstream becomes a 503 or 429 with Retry-After', async () => {
    const answer = await post({ model: 'public-limited', prompt: 'Once' });
    expect([429, 503]).toContain(answer.status);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(asObject(parseJson(await answer.text())).error).toBeDefined();
  });

  test('a client disconnect aborts the upstream request', async () => {
    const before = upstream.aborted;
    const stream = await openai.completions.create({ model: 'public-endless', prompt: 'Once', stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
    await until('the upstream request is aborted', async () => upstream.aborted > before);
  });

  test.each([
    [{ model: 'public-story' }, 'prompt'],
    [{ model: 'public-story', prompt: 'a', echo: 1 }, 'echo'],
    [{ model: 'public-story', prompt: ['a', 1] }, 'prompt'],
    [{ prompt: 'a' }, 'model'],
  ])('%j is a 400 that names %s', async (body, param) => {
    const answer = await post(body);
    const error = asObject(asObject(parseJson(await answer.text())).error);
    expect([answer.status, error.param]).toEqual([400, param]);
  });
});

describe('routing', () => {
  test.each(['base-model'])('a chat never becomes a text completion (%s)', async (model) => {
    upstream.received.length = 0;
    const messages = [{ role: 'user', content: 'Hi' }];
    const asked = [
      post({ model, messages }, '/v1/chat/completions'),
      post({ model, input: 'Hi' }, '/v1/responses'),
      post({ model, messages, max_tokens: 9 }, '/v1/messages'),
      post({ contents: [{ parts: [{ text: 'Hi' }] }] }, `/v1beta/models/${model}:generateContent`),
    ];
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('not available at this endpoint');
    }
    expect(upstream.received).toEqual([]);
    expect((await openai.completions.create({ model, prompt: 'Once' })).choices[0]?.text).toBe(TEXT);
  });

  test('a chat model gets the prompt as a user message, without an added token limit', async () => {
    await openai.completions.create({ model: 'chat-model', prompt: 'Once' });
    const sent = asObject(parseJson(upstream.received.at(-1)?.text ?? ''));
    expect(sent).toEqual({ model: 'some-chat', messages: [{ role: 'user', content: 'Once' }] });
  });

  test('the sandbox answers, too', async () => {
    const stream = await openai.completions.create({ model: 'sandbox/chat', prompt: 'Once', stream: true, n: 2 });
    const { chunks } = await gathered(stream);
    const texts = [0, 1].map((at) =>
      chunks
        .flatMap(({ choices }) => choices.filter(({ index }) => index === at))
        .map((one) => one.text)
        .join(''),
    );
    expect(texts[0]).toContain('synthetic');
    expect(texts[1]).toBe(texts[0] ?? '');
  });

  test('a page of another origin may call the endpoint', async () => {
    const answer = await post({ model: 'public-story', prompt: 'Once' }, '/v1/completions', {
      origin: 'https://page.example',
    });
    expect(answer.headers.get('access-control-allow-origin')).not.toBeNull();
  });
});
