import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asObject } from './shared/json.ts';
import { metricsOf } from './shared/metrics.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* POST /v1/embeddings with the model that runs inside the gateway: real vectors, no key, no network. */

setDefaultTimeout(600_000);

const MODEL = 'universal-sentence-encoder-lite';
const ACME = clientKey('acme');

let space: Workspace;
let serving: Serving;
let client: OpenAI;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [{ id: 'local', provider: 'local', models: [MODEL] }],
    accounts: [accountWith('acme', [keyNamed('acme')]), accountWith('other', [keyNamed('other')])],
  });
  // The proxies make every outside address unreachable.
  serving = await space.serve({
    env: { SWITCHYARD_CONFIG, HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
  });
  client = new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
});
afterAll(async () => {
  await space?.remove();
});

async function vectorsOf(input: string | string[], encoding?: 'float' | 'base64'): Promise<number[][]> {
  const body = { model: MODEL, input, ...(encoding && { encoding_format: encoding }) };
  const { data } = await client.embeddings.create(body);
  return data.map(({ embedding }) => (typeof embedding === 'string' ? floatsOf(embedding) : embedding));
}
const floatsOf = (base64: string) =>
  Array.from(new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer));
const cosine = (a: readonly number[] = [], b: readonly number[] = []) =>
  a.reduce((sum, number, at) => sum + number * (b[at] ?? 0), 0);

async function post(body: object, key = ACME) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${serving.baseUrl}/embeddings`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { ...(await answerOf(response)), headers: response.headers };
}

describe('the local model', () => {
  test.each([
    [
      'How do I reset my password?',
      'I forgot my login, how can I recover my account?',
      'The recipe needs two eggs and flour.',
    ],
    ['The cat sleeps on the sofa.', 'A kitten is napping on the couch.', 'Interest rates rose by a quarter point.'],
    ['The server does not answer.', 'Our host is down.', 'She plays the violin beautifully.'],
  ])('puts %p closer to the text of the same meaning', async (text, same, other) => {
    const [one, two, three] = await vectorsOf([text, same, other]);
    expect(cosine(one, two)).toBeGreaterThan(cosine(one, three) + 0.2);
  });

  test('returns vectors of length 1, equal in both encodings', async () => {
    const texts = ['one', 'two words', 'three words here'];
    const [floats, base64] = [await vectorsOf(texts, 'float'), await vectorsOf(texts, 'base64')];
    expect(floats).toEqual(base64);
    for (const vector of floats) {
      expect(vector).toHaveLength(512);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  test('keeps the order of a batch and embeds each text as if it were alone', async () => {
    const texts = Array.from(
      { length: 60 },
      (_, index) => `Text ${index} is about ${'very '.repeat(index % 7)}different things.`,
    );
    const together = await vectorsOf(texts);
    for (const index of [0, 31, 59]) {
      const [alone] = await vectorsOf(texts[index] ?? '');
      expect(cosine(together[index], alone)).toBeCloseTo(1, 5);
    }
  });

  test('embeds a text that is longer than its window as a whole', async () => {
    const about = (what: string) => `This part is about ${what}. `.repeat(40);
    const [long, cats, taxes] = await vectorsOf([
      about('cats and dogs') + about('taxes and law'),
      about('cats and dogs'),
      about('taxes and law'),
    ]);
    expect(cosine(long, cats)).toBeGreaterThan(0.6);
    expect(cosine(long, taxes)).toBeGreaterThan(0.6);
  });

  test('counts tokens and costs nothing', async () => {
    const { json, headers } = await post({ model: MODEL, input: ['Hello, world.', 'Hello, world.'] });
    expect(json.usage).toEqual({ prompt_tokens: 10, total_tokens: 10 });
    expect(json.model).toBe(MODEL);
    expect(asObject(asObject(json._routing).channel).provider).toBe('local');
    expect(headers.get('x-switchyard-losses')).toBeNull();
  });
});

describe('unsupported requests of the local model', () => {
  test.each([
    ['a shorter vector', { input: 'x', dimensions: 256 }, 'dimensions'],
    ['token ids', { input: [1, 2] }, 'input[0]'],
    ['a text of too many tokens', { input: ['x', 'hello world '.repeat(1_200)] }, 'input[1]'],
    ['a text of too many characters', { input: 'x'.repeat(16_385) }, 'input'],
    [
      'the model’s own number of dimensions is accepted',
      { input: Array.from({ length: 20 }, () => 'x'.repeat(16_000)) },
      'input',
    ],
  ])('%s is a 400 that names the field', async (_, body, param) => {
    const { status, error } = await post({ model: MODEL, ...body });
    expect({ status, param: error.param }).toEqual({ status: 400, param });
  });

  test('its own number of dimensions is taken', async () => {
    expect((await post({ model: MODEL, input: 'x', dimensions: 512 })).status).toBe(200);
  });
});

describe('concurrent requests', () => {
  const large = { model: MODEL, input: Array.from({ length: 1_000 }, () => 'A sentence of a large request.') };

  /** Starts requests that would take many seconds and that the client aborts. */
  function asked(count: number, body: object, leaving: AbortSignal) {
    const headers = { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving };
    return Array.from({ length: count }, () => fetch(`${serving.baseUrl}/embeddings`, init));
  }

  test('are scheduled fairly: a small one finishes before large ones of another account', async () => {
    const leaving = new AbortController();
    const answers = asked(3, large, leaving.signal).map((one) =>
      one.then(
        () => 'answered',
        () => 'left',
      ),
    );
    // The gateway responds while the model works.
    const inFlight = async () =>
      (await metricsOf(serving)).find(({ name }) => name === 'switchyard_requests_in_flight')?.value ?? 0;
    await until('all requests are in flight', async () => (await inFlight()) >= answers.length);
    const small = await post({ model: MODEL, input: 'A small request.' }, clientKey('other'));
    expect(small.status).toBe(200);
    leaving.abort();
    expect(await Promise.all(answers)).toEqual(['left', 'left', 'left']);
  });

  test('of one account are limited, and the 429 has Retry-After', async () => {
    const leaving = new AbortController();
    const input = Array.from({ length: 1_000 }, () => 'x'.repeat(290));
    const answers = asked(2, { model: MODEL, input }, leaving.signal);
    const refused = await Promise.race(answers);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await refused.text();
    leaving.abort();
    const others = await Promise.allSettled(answers);
    expect(others.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

test('the local model works without a configuration', async () => {
  const bare = await Workspace.create();
  try {
    const { baseUrl, firstKey } = await bare.serve();
    const embeddings = new OpenAI({ apiKey: firstKey ?? '', baseURL: baseUrl, maxRetries: 0 }).embeddings;
    const { data } = await embeddings.create({ model: MODEL, input: ['one', 'two'] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([512, 512]);
  } finally {
    await bare.remove();
  }
});
