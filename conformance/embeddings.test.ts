import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embed, embedMany } from 'ai';
import OpenAI, { AzureOpenAI } from 'openai';
import {
  type Answering,
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  type ReceivedRequest,
  refusal,
  startUpstream,
} from './first-light/upstream.ts';
import { count, metricsOf } from './money/metrics.ts';
import { answerOf, chatBody } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* POST /v1/embeddings: OpenAI's format over the sandbox and any channel whose provider speaks it. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const MODEL = 'text-embedding-3-small';
const TOKENS = 7;
const USAGE = { prompt_tokens: TOKENS, total_tokens: TOKENS };
/** 20.1 nano-USD per token. */
const PRICING = { input_per_1m: '0.0201' };
const CENT_A_TOKEN = { input_per_1m: '10000' };
/** Edge cases of float32. */
const NUMBERS = [0.5, -0, 1.401298464324817e-45, 3.4028234663852886e38, -1.1754943508222875e-38, 0.10000000149011612];
const BASE64 = Buffer.from(Float32Array.from(NUMBERS).buffer).toString('base64');
/** A JSON list that keeps -0, which JSON.stringify would lose. */
const LIST = `[${NUMBERS.map((number) => (Object.is(number, -0) ? '-0' : number)).join(', ')}]`;

const inputsIn = ({ text }: ReceivedRequest): number => {
  const { input } = asObject(parseJson(text));
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
};
const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } });
const item = (index: number, embedding: string) => `{"object": "embedding","embedding":${embedding},"index":${index}}`;
const bodyOf = (items: readonly string[], more = `,"usage":${JSON.stringify(USAGE)}`) =>
  `{ "object": "list",\n "data": [${items.join(' , ')}] ,"model":"their-model","extra":12345678901234567890${more}}`;
const answering =
  (embedding: string, more?: string): Answering =>
  (request) =>
    json(
      bodyOf(
        Array.from({ length: inputsIn(request) }, (_, index) => item(index, embedding)),
        more,
      ),
    );
const inFloats = answering(LIST);
const inBase64 = answering(`"${BASE64}"`);

/** Every invalid response must reach a client, so the breaker must never open. */
const NEVER_OPEN = { minimum_requests: 1_000_000 };

let first: FakeUpstream;
let second: FakeUpstream;
let space: Workspace;
let serving: Serving;
let answer: Answering = inFloats;

beforeAll(async () => {
  first = startUpstream((request) => answer(request));
  second = startUpstream(inFloats);
  space = await Workspace.create();
  const models = { [MODEL]: 'their-model', 'gpt-4.1-mini': 'gpt-4.1-mini' };
  const lone = (id: string) => ({ [id]: id });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    // Equal requests must reach the upstream each time.
    cache: { strategy: 'off' },
    channels: [
      channelTo(first, { id: 'first', provider: 'openai', models, priority: 0, breaker: NEVER_OPEN }),
      channelTo(second, { id: 'second', provider: 'nvidia', models, priority: 1 }),
      channelTo(first, { id: 'alone', models: { ...lone('alone'), ...lone('dear'), ...lone('unseen') } }),
      channelTo(first, { id: 'lacking', provider: 'groq', models: lone('no-wire') }),
      channelTo(first, {
        id: 'azure',
        provider: 'azure-openai',
        models: lone('azure-one'),
        settings: { api_version: '2024-10-21' },
      }),
      channelTo(first, { id: 'mistral', provider: 'mistral', models: lone('codestral-embed') }),
      channelTo(first, { id: 'private', owner: 'owner', provider: 'openrouter', models: lone('owned') }),
      { id: 'sandbox', provider: 'sandbox', models: ['sandbox-embedding', 'sandbox-chat'] },
    ],
    models: [
      { id: MODEL, category: 'embedding', pricing: PRICING },
      { id: 'dear', category: 'embedding', pricing: CENT_A_TOKEN },
      { id: 'unseen', category: 'embedding', status: 'hidden' },
      ...['alone', 'no-wire', 'azure-one', 'owned'].map((id) => ({ id, category: 'embedding', pricing: 'free' })),
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('narrow', { models: ['gpt-4.1-mini', 'alone'] })]),
      accountWith('owner', [keyNamed('owner')]),
      ...[
        ['payer', '1'],
        ['short', '0.99'],
        ['rush', '5'],
      ].map(([id = '', balance_usd]) => accountWith(id, [keyNamed(id)], { billing: 'prepaid', balance_usd })),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
});
beforeEach(() => {
  answer = inFloats;
});

async function post(body: object | string, key = ACME, init: RequestInit = {}) {
  return answerOf(
    await fetch(`${serving.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    }),
  );
}
const vectorsIn = (answered: Awaited<ReturnType<typeof post>>) =>
  asArray(answered.json.data).map((one) => asObject(one).embedding);

interface Row {
  readonly status: number;
  readonly format: string;
  readonly channel_id: string | null;
  readonly model_id: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly usage_source: string | null;
  readonly cost_nano: number | null;
  readonly client_gone: number;
  readonly retry_count: number;
  readonly failed_attempts: string | null;
  readonly request_id: string;
}

async function loggedAs(where: string, value: string | null): Promise<Row> {
  let row: Row | null = null;
  await until('the request is logged', () => {
    const database = new Database(space.database, { readonly: true });
    try {
      row = database
        .query<Row, [string | null]>(`SELECT * FROM request_log WHERE ${where} ORDER BY id DESC`)
        .get(value);
    } finally {
      database.close();
    }
    return row !== null;
  });
  if (row === null) throw new Error('there is no such row');
  return row;
}
const rowOf = ({ headers }: Awaited<ReturnType<typeof post>>) =>
  loggedAs('request_id = ?', headers.get('x-request-id'));

describe('vectors have the requested encoding, whatever the upstream returns', () => {
  const cases = [
    ['float', 'float', inFloats],
    ['float', 'base64', inBase64],
    ['base64', 'float', inFloats],
    ['base64', 'base64', inBase64],
  ] as const;
  for (const [asked, given, upstream] of cases) {
    test(`${asked} requested, ${given} returned`, async () => {
      answer = upstream;
      const answered = await post({ model: MODEL, input: ['a', 'b'], encoding_format: asked });
      expect([answered.status, answered.error]).toEqual([200, {}]);
      const expected = asked === 'base64' ? BASE64 : NUMBERS;
      expect(vectorsIn(answered)).toEqual([expected, expected]);
      expect(answered.json).toMatchObject({ object: 'list', model: MODEL, usage: USAGE });
      expect(asArray(answered.json.data)).toMatchObject([{ object: 'embedding', index: 0 }, { index: 1 }]);
      // All other fields of the upstream stay, to the last digit.
      expect(answered.text).toContain('"extra":12345678901234567890');
    });
  }

  test('a response in the requested encoding keeps its bytes except for the model and the routing', async () => {
    const { text } = await post({ model: MODEL, input: 'a' });
    const [before = '', routing = ''] = text.split(',"_routing":');
    expect(`${before}}`).toBe(bodyOf([item(0, LIST)]).replace('their-model', MODEL));
    expect(parseJson(routing.slice(0, -1))).toMatchObject({ channel: { id: 'first' }, cached: false, retryCount: 0 });
  });

  test('items are sorted by index, and items without an index get one', async () => {
    answer = () => json(bodyOf([item(1, '[2]'), item(0, '[1]')]));
    expect(vectorsIn(await post({ model: MODEL, input: ['a', 'b'] }))).toEqual([[1], [2]]);
    answer = () => json(bodyOf(['{"embedding":[1]}', '{"embedding":[2],"note":"kept"}']));
    const answered = await post({ model: MODEL, input: ['a', 'b'] });
    expect(answered.json.data).toEqual([
      { object: 'embedding', index: 0, embedding: [1] },
      { object: 'embedding', index: 1, embedding: [2], note: 'kept' },
    ]);
  });
});

describe('the request', () => {
  test.each([
    ['a text', '"a"'],
    ['texts', '["a","b"]'],
    ['tokens', '[1212, 318]'],
    ['lists of tokens', '[[1212],[318,4]]'],
  ])('%s are sent unchanged, with the upstream’s model name', async (_, input) => {
    const body = `{"input": ${input} ,"dimensions":6,"model":"${MODEL}", "user":"u","future":{"x":1e400}}`;
    const sent = body.replace('1e400', '1.50');
    expect((await post(sent)).status).toBe(200);
    expect(first.requests.at(-1)?.text).toBe(sent.replace(MODEL, 'their-model'));
  });

  const many = (length: number) => Array.from({ length }, () => 'a');
  test.each<[string, string | object, number, string, string | null]>([
    ['no body', '', 400, 'empty_body', null],
    ['no JSON', '{', 400, 'invalid_json', null],
    ['no object', '[]', 400, 'invalid_type', null],
    ['no model', { input: 'a' }, 400, 'missing_required_parameter', 'model'],
    ['a model that is not a string', { model: 7, input: 'a' }, 400, 'invalid_type', 'model'],
    ['two models', `{"model":"${MODEL}","model":"alone","input":"a"}`, 400, 'invalid_value', 'model'],
    ['no input', { model: MODEL }, 400, 'missing_required_parameter', 'input'],
    ['an empty text', { model: MODEL, input: '' }, 400, 'invalid_value', 'input'],
    ['an empty list', { model: MODEL, input: [] }, 400, 'invalid_value', 'input'],
    ['an empty text in a list', { model: MODEL, input: ['a', ''] }, 400, 'invalid_value', 'input[1]'],
    ['an empty list of tokens', { model: MODEL, input: [[1], []] }, 400, 'invalid_value', 'input[1]'],
    ['an object', { model: MODEL, input: { text: 'a' } }, 400, 'invalid_type', 'input'],
    ['an object in a list', { model: MODEL, input: [{ text: 'a' }] }, 400, 'invalid_type', 'input[0]'],
    ['texts mixed with tokens', { model: MODEL, input: ['a', 1] }, 400, 'invalid_type', 'input[1]'],
    ['tokens mixed with texts', { model: MODEL, input: [1, 'a'] }, 400, 'invalid_type', 'input[1]'],
    ['lists mixed with tokens', { model: MODEL, input: [[1], 2] }, 400, 'invalid_type', 'input[1]'],
    ['half a token', { model: MODEL, input: [[1, 2.5]] }, 400, 'invalid_type', 'input[0][1]'],
    ['a negative token', { model: MODEL, input: [1, -1] }, 400, 'invalid_value', 'input[1]'],
    ['2,049 inputs', { model: MODEL, input: many(2_049) }, 400, 'invalid_value', 'input'],
    [
      'an unknown encoding',
      { model: MODEL, input: 'a', encoding_format: 'hex' },
      400,
      'invalid_value',
      'encoding_format',
    ],
    ['dimensions of zero', { model: MODEL, input: 'a', dimensions: 0 }, 400, 'invalid_value', 'dimensions'],
    ['half a dimension', { model: MODEL, input: 'a', dimensions: 1.5 }, 400, 'invalid_type', 'dimensions'],
    ['a user that is not a string', { model: MODEL, input: 'a', user: {} }, 400, 'invalid_type', 'user'],
    ['an unknown model', { model: 'text-embedding-3-smal', input: 'a' }, 404, 'model_not_found', 'model'],
    ['a hidden model', { model: 'unseen', input: 'a' }, 404, 'model_not_found', 'model'],
    ['a chat model', { model: 'gpt-4.1-mini', input: 'a' }, 400, 'model_not_found', 'model'],
    ['a model whose provider has no embeddings', { model: 'no-wire', input: 'a' }, 400, 'model_not_found', 'model'],
    ["another account's model", { model: 'owned', input: 'a' }, 404, 'model_not_found', 'model'],
  ])('%s is refused', async (_, body, status, code, param) => {
    const asked = first.requests.length;
    const { status: got, error } = await post(body);
    expect([got, error.code, error.param ?? null]).toEqual([status, code, param]);
    expect(error.type).toBe('invalid_request_error');
    expect(first.requests.length).toBe(asked);
  });

  test('2,048 inputs are accepted', async () => {
    answer = answering('[1]');
    expect(vectorsIn(await post({ model: MODEL, input: many(2_048) })).length).toBe(2_048);
  });

  test('300,000 tokens are accepted, in one list or in many', async () => {
    answer = answering('[1]');
    const tokens = Array.from({ length: 300_000 }, (_, index) => index % 100_000);
    expect((await post({ model: 'alone', input: tokens })).status).toBe(200);
    const lists = Array.from({ length: 100 }, (_, index) => tokens.slice(index * 3_000, (index + 1) * 3_000));
    const answered = await post({ model: 'alone', input: lists });
    expect([answered.status, vectorsIn(answered).length]).toEqual([200, 100]);
    const { status, error } = await post({ model: 'alone', input: [...tokens, ...tokens] });
    expect([status, error.code]).toEqual([413, 'payload_too_large']);
  });

  test('a key can only use the models of its allow-list', async () => {
    const { status, error } = await post({ model: MODEL, input: 'a' }, clientKey('narrow'));
    expect([status, error.code]).toEqual([403, 'model_not_allowed']);
    expect((await post({ model: 'alone', input: 'a' }, clientKey('narrow'))).status).toBe(200);
    expect((await post({ model: MODEL, input: 'a' }, 'sk-nobody')).status).toBe(401);
  });

  test('each endpoint names the right endpoint for a model of the other kind', async () => {
    expect((await post({ model: 'gpt-4.1-mini', input: 'a' })).error.hint).toContain('POST /v1/chat/completions');
    const chat = await serving.chat(ACME, chatBody(MODEL));
    expect([chat.status, chat.error.hint]).toEqual([400, expect.stringContaining('POST /v1/embeddings')]);
  });

  test('the endpoint answers at the path variants that clients build, to POST only', async () => {
    const headers = { authorization: `Bearer ${ACME}` };
    const init = { method: 'POST', headers, body: JSON.stringify({ model: MODEL, input: 'a' }) };
    for (const path of ['/embeddings', '/v1/v1/embeddings/', '/openai/v1/embeddings']) {
      expect([path, (await fetch(serving.origin + path, init)).status]).toEqual([path, 200]);
    }
    const got = await fetch(`${serving.baseUrl}/embeddings`, { headers });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test("Azure's endpoint is below the deployment", async () => {
    answer = inFloats;
    expect((await post({ model: 'azure-one', input: 'a' })).json).toHaveProperty('_routing.channel.id', 'azure');
    expect(first.requests.at(-1)?.headers.get('api-key')).toBe('upstream-key');
  });

  test('Mistral has another name for dimensions and no user field', async () => {
    answer = answering('[1,2]');
    const more = { encoding_format: 'float', dimensions: 2, user: 'u' };
    const answered = await post({ ...more, model: 'codestral-embed', input: 'a' });
    expect([answered.status, vectorsIn(answered)]).toEqual([200, [[1, 2]]]);
    expect(parseJson(first.requests.at(-1)?.text ?? '')).toEqual({
      encoding_format: 'float',
      output_dimension: 2,
      model: 'codestral-embed',
      input: 'a',
    });
    expect(answered.headers.get('x-switchyard-losses')).toContain('user');
    await post({ model: 'codestral-embed', input: 'a', output_dimension: 2, dimensions: 2 });
    expect(first.requests.at(-1)?.text).toBe('{"model":"codestral-embed","input":"a","output_dimension":2}');
  });

  test('Azure and Mistral do not get the input type, other providers do, and channels that do are preferred to OpenAI', async () => {
    answer = answering('[1,2]');
    for (const [model, isLost] of [
      ['azure-one', true],
      ['codestral-embed', true],
      ['alone', false],
    ] as const) {
      const answered = await post({ model, input: 'a', input_type: 'query' });
      const text = first.requests.at(-1)?.text ?? '';
      expect([model, answered.status, text.includes('input_type')]).toEqual([model, 200, !isLost]);
      expect(answered.headers.get('x-switchyard-losses')?.includes('input_type') ?? false).toBe(isLost);
    }
    const answered = await post({ model: MODEL, input: 'a', input_type: 'query' });
    expect(answered.json).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 0 } });
    expect(second.requests.at(-1)?.text).toContain('"input_type":"query"');
  });

  test('fields that choose a host or a more expensive model are only sent over a private channel', async () => {
    const body = { model: 'alone', input: 'a', provider: { order: ['dear'] } };
    const { status, error } = await post(body);
    expect([status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'provider.order[0]']);
    const owned = await post({ ...body, model: 'owned' }, clientKey('owner'));
    expect(owned.json).toMatchObject({ _routing: { channel: { channelType: 'PRIVATE' } } });
    expect(first.requests.at(-1)?.text).toContain('"order":["dear"]');
  });
});

describe('an upstream that fails or returns an invalid response', () => {
  const stream = (megabytes: number) => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    let left = megabytes;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    });
  };
  const lies: readonly (readonly [string, Answering])[] = [
    ['a status of 500', () => new Response('broken', { status: 500 })],
    ['a page', () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })],
    ['half a response', () => json(bodyOf([item(0, '[1]'), item(1, '[2]')]).slice(0, 60))],
    ['bytes after the response', () => json(`${bodyOf([item(0, '[1]'), item(1, '[2]')])}{}`)],
    ['an error under a 200', () => Response.json({ error: { message: 'overloaded', code: 503 } })],
    ['one vector for two inputs', () => json(bodyOf([item(0, '[1]')]))],
    ['three vectors for two inputs', () => json(bodyOf([0, 1, 2].map((index) => item(index, '[1]'))))],
    ['a duplicate index', () => json(bodyOf([item(0, '[1]'), item(0, '[2]')]))],
    ['an index beyond the inputs', () => json(bodyOf([item(0, '[1]'), item(2, '[2]')]))],
    ['vectors of two lengths', () => json(bodyOf([item(0, '[1]'), item(1, '[1,2]')]))],
    ['vectors without numbers', () => json(bodyOf([item(0, '[]'), item(1, '[]')]))],
    ['NaN', () => json(bodyOf([item(0, '[NaN]'), item(1, '[1]')]))],
    ['a number that is too large', () => json(bodyOf([item(0, '[1e999]'), item(1, '[1]')]))],
    ['null instead of a number', () => json(bodyOf([item(0, '[null]'), item(1, '[1]')]))],
    ['infinity in base64', () => json(bodyOf([item(0, '"AACAfw=="'), item(1, '"AACAfw=="')]))],
    ['NaN in base64', () => json(bodyOf([item(0, '"AADAfw=="'), item(1, '"AADAfw=="')]))],
    ['three bytes in base64', () => json(bodyOf([item(0, '"AAAA"'), item(1, '"AAAA"')]))],
    ['no vectors', () => Response.json({ object: 'list', data: [] })],
    ['nothing', () => json('')],
  ];
  for (const [name, lie] of lies) {
    test(`${name}: another channel answers`, async () => {
      answer = lie;
      const answered = await post({ model: MODEL, input: ['a', 'b'] });
      expect(answered.json).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
      expect(vectorsIn(answered)).toEqual([NUMBERS, NUMBERS]);
      expect(asObject(parseJson(answered.headers.get('x-routing') ?? ''))).toEqual(asObject(answered.json._routing));
    });
  }

  test('a response that never ends is cut off, and the next request is answered', async () => {
    answer = () => new Response(stream(270), { headers: { 'content-type': 'application/json' } });
    const { status, error } = await post({ model: MODEL, input: 'a' });
    expect([status, error.code]).toEqual([429, 'rate_limit_exceeded']);
    answer = inFloats;
    expect((await post({ model: MODEL, input: 'a' })).status).toBe(200);
  });

  test('without another channel, the error says whose fault it is', async () => {
    answer = () => json(bodyOf([item(0, '[1]')]));
    const answered = await post({ model: 'alone', input: ['a', 'b'] });
    expect([answered.status, answered.error.type]).toEqual([502, 'upstream_error']);
    expect(answered.headers.get('x-routing')).toContain('alone');
    expect(await rowOf(answered)).toMatchObject({ status: 502, channel_id: 'alone', input_tokens: null });
  });

  test('a client error is returned at once, with the upstream’s message', async () => {
    const asked = second.requests.length;
    answer = () => refusal(400, 'This model does not support specifying dimensions.');
    const { status, error } = await post({ model: MODEL, input: 'a', dimensions: 5 });
    expect([status, error.message]).toEqual([400, 'This model does not support specifying dimensions.']);
    expect(second.requests.length).toBe(asked);
  });

  test('vectors of another length than `dimensions` are a 400 that names it', async () => {
    answer = inFloats;
    const { status, error } = await post({ model: MODEL, input: 'a', dimensions: 5 });
    expect([status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'dimensions']);
    expect((await post({ model: MODEL, input: 'a', dimensions: NUMBERS.length })).status).toBe(200);
  });

  test('a client disconnect aborts the upstream request', async () => {
    let isAborted = false;
    let isAsked = false;
    answer = async ({ signal }) => {
      isAsked = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isAborted = true;
      return new Response('');
    };
    const leaving = new AbortController();
    const asking = post({ model: MODEL, input: 'leaving' }, ACME, { signal: leaving.signal }).catch(() => null);
    await until('the upstream request arrives', () => isAsked);
    leaving.abort();
    await asking;
    await until('the upstream sees the end', () => isAborted);
    expect(await loggedAs('client_gone = 1 AND model_id = ?', MODEL)).toMatchObject({ cost_nano: 0 });
  });
});

describe('billing', () => {
  const balanceOf = async (id: string) => {
    const { stdout } = await space.run(['accounts', 'balance', id, '--json']);
    return asObject(parseJson(stdout)).balance_usd;
  };

  test('each input token is charged, to the nano-dollar, in the log and the metrics', async () => {
    const before = count(await metricsOf(serving.port), 'switchyard_requests_total', {
      format: 'openai-embeddings',
      status: '200',
    });
    const answered = await post({ model: MODEL, input: 'a' });
    // 7 tokens at 20.1 nano-USD are 140.7.
    expect(await rowOf(answered)).toMatchObject({
      ...{ status: 200, format: 'openai-embeddings', channel_id: 'first', model_id: MODEL, retry_count: 0 },
      ...{ input_tokens: TOKENS, output_tokens: 0, usage_source: 'reported', cost_nano: 141 },
    });
    const after = count(await metricsOf(serving.port), 'switchyard_requests_total', {
      format: 'openai-embeddings',
      status: '200',
    });
    expect(after - before).toBe(1);
  });

  test.each([
    ['no usage', ''],
    ['zeros', ',"usage":{"prompt_tokens":0,"total_tokens":0}'],
    ['null', ',"usage":null'],
  ])('an upstream that reports %s: tokens are counted and marked as an estimate', async (_, more) => {
    answer = answering('[1]', more);
    const texts = await post({ model: MODEL, input: ['Hello there', 'General Kenobi, you are a bold one'] });
    const row = await rowOf(texts);
    const count = row.input_tokens;
    expect(row.usage_source).toBe('estimated');
    expect(texts.json.usage).toEqual({ prompt_tokens: count, total_tokens: count, estimated: true });
    expect(row.input_tokens).toBeGreaterThan(5);
    expect(row.input_tokens).toBeLessThan(20);
    const tokens = await post({ model: MODEL, input: [[1, 2, 3], [4]] });
    expect(await rowOf(tokens)).toMatchObject({ input_tokens: 4, usage_source: 'estimated', cost_nano: 80 });
  });

  /** With 16 tokens of tokenizer overhead this reserves 100 tokens: one dollar. */
  const HUNDRED = Array.from({ length: 84 }, (_, index) => index);

  test('the most that the inputs can cost is reserved, and the actual cost is charged', async () => {
    const asked = first.requests.length;
    const short = await post({ model: 'dear', input: HUNDRED }, clientKey('short'));
    expect([short.status, short.error]).toMatchObject([
      402,
      { code: 'insufficient_balance', estimated_cost_usd: 1, balance_usd: 0.99 },
    ]);
    expect(first.requests.length).toBe(asked);
    expect((await post({ model: 'dear', input: HUNDRED }, clientKey('payer'))).status).toBe(200);
    expect(await balanceOf('payer')).toBe('0.93');
    expect(await balanceOf('short')).toBe('0.99');
  });

  test('of 60 concurrent requests with balance for 5, 5 are answered and nothing is overdrawn', async () => {
    const gate = Promise.withResolvers<void>();
    const usage = ',"usage":{"prompt_tokens":100,"total_tokens":100}';
    answer = async (request) => {
      await gate.promise;
      return await answering('[1]', usage)(request);
    };
    let refused = 0;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const { status } = await post({ model: 'dear', input: HUNDRED }, clientKey('rush'));
        if (status === 402 && ++refused === 55) gate.resolve();
        return status;
      }),
    );
    expect(
      Object.fromEntries(
        Map.groupBy(statuses, String)
          .entries()
          .map(([status, all]) => [status, all.length]),
      ),
    ).toEqual({ 200: 5, 402: 55 });
    expect(Number(await balanceOf('rush'))).toBe(0);
  });
});

describe('the sandbox', () => {
  const ask = async (input: unknown, more: object = {}) => {
    const answered = await post({ model: 'sandbox-embedding', input, ...more });
    expect([answered.status, answered.error]).toEqual([200, {}]);
    return answered;
  };
  const floatsOf = async (input: unknown, more: object = {}) =>
    vectorsIn(await ask(input, more)).map((vector) => asArray(vector).map(Number));
  const cosine = (one: readonly number[] = [], other: readonly number[] = []) =>
    one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0);

  test('vectors have length 1, are equal for equal texts and close for similar ones', async () => {
    const texts = ['the cat sat on the mat', 'a cat sat on a mat', 'quarterly revenue grew by 4%'];
    const [cat, alike, other] = await floatsOf(texts);
    expect([cat?.length, Math.abs(cosine(cat, cat) - 1) < 1e-6]).toEqual([256, true]);
    expect(cosine(cat, alike)).toBeGreaterThan(cosine(cat, other) + 0.3);
    expect(await floatsOf(texts[0])).toEqual([cat ?? []]);
  });

  test('dimensions, both encodings and tokens are supported', async () => {
    expect((await floatsOf('a', { dimensions: 8 }))[0]?.length).toBe(8);
    const [text] = vectorsIn(await ask('some words', { encoding_format: 'base64' }));
    const [numbers = []] = await floatsOf('some words');
    expect(Buffer.from(String(text), 'base64')).toEqual(Buffer.from(Float32Array.from(numbers).buffer));
    const [one, same, two] = await floatsOf([[1, 2], [1, 2], [3]]);
    expect([one, cosine(one, two) < 0.9]).toEqual([same, true]);
    expect((await ask([1, 2, 3])).json.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
    const { status, error } = await post({ model: 'sandbox-embedding', input: 'a', dimensions: 2_000 });
    expect([status, error.param]).toEqual([400, 'dimensions']);
  });
});

describe('official SDKs', () => {
  test('openai requests base64 by default', async () => {
    answer = inFloats;
    const client = new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
    const answered = await client.embeddings.create({ model: MODEL, input: ['a', 'b'] });
    expect(answered.data.map(({ embedding }) => embedding)).toEqual([NUMBERS, NUMBERS]);
    expect([first.requests.at(-1)?.text, answered.usage]).toEqual([expect.stringContaining('"base64"'), USAGE]);
    answer = inBase64;
    const inList = await client.embeddings.create({ model: MODEL, input: 'a', encoding_format: 'float' });
    expect(inList.data[0]?.embedding).toEqual(NUMBERS);
  });

  test('openai for Azure puts the model in the path', async () => {
    const client = new AzureOpenAI({
      apiKey: ACME,
      endpoint: serving.origin,
      apiVersion: '2024-10-21',
      deployment: MODEL,
      maxRetries: 0,
    });
    const answered = await client.embeddings.create({ model: MODEL, input: 'a' });
    expect(answered.data[0]?.embedding).toEqual(NUMBERS);
  });

  test('the AI SDK supports embed and embedMany', async () => {
    const settings = { apiKey: ACME, baseURL: serving.baseUrl };
    const { embedding, usage } = await embed({ model: createOpenAI(settings).embeddingModel(MODEL), value: 'a' });
    expect([embedding, usage.tokens]).toEqual([NUMBERS, TOKENS]);
    const model = createOpenAICompatible({ ...settings, name: 'gateway' }).embeddingModel(MODEL);
    expect((await embedMany({ model, values: ['a', 'b', 'c'] })).embeddings).toEqual([NUMBERS, NUMBERS, NUMBERS]);
  });
});
