import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { imageJobs } from '../src/engine/tasks/pollable-jobs.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asArray, asObject } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import { until } from './shared/until.ts';
import { type Service, strictProblem } from './strict/check.ts';

/* `async` over channels whose upstreams return images directly. */

const png = pngOf({ width: 8, height: 8 });
const b64_json = png.toString('base64');
/** At 5 and 40 USD per million tokens: 0.00005 + 0.04 USD. */
const USAGE = { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 };
const COST_BY_TOKENS = 0.04005;

/** Returns the service whose rules judge a request to this path. */
function serviceAt(path: string): Service {
  if (!path.startsWith('/images/')) return { provider: 'black-forest-labs', wire: 'bfl-images' };
  return { provider: 'openai', wire: path === '/images/edits' ? 'openai-image-edits' : 'openai-images' };
}

type Answering = (request: Request) => Promise<Response> | Response;
let answer: Answering;
let asked: { readonly path: string; readonly body: string }[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const { method, headers, url } = request;
    const { pathname: path } = new URL(url);
    const bytes = new Uint8Array(await request.arrayBuffer());
    asked.push({ path, body: new TextDecoder().decode(bytes) });
    const problem = await strictProblem(serviceAt(path), { method, target: path, headers, body: bytes });
    if (problem !== null) return Response.json({ error: { message: problem } }, { status: 400 });
    return answer(request);
  },
});
const made = (usage: object | null = USAGE) =>
  Response.json({ created: 1, data: [{ b64_json }], ...(usage && { usage }) });

const TOKEN_PRICES = { input_per_1m: '5', output_per_1m: '40' };
let gateway: Gateway;
const TOKEN = 'mt-rich-0000000000000000000000000000';
const SECRETS = { rich: 'sk-rich-000000000000000000000000', poor: 'sk-poor-000000000000000000000000' };

beforeAll(async () => {
  const base_url = upstream.url.href.replace(/\/$/, '');
  gateway = await startGatewayWith(
    [
      {
        ...{ id: 'openai', name: 'OpenAI', provider: 'openai', api_key: 'upstream-key', base_url },
        models: { 'by-image': 'gpt-image-1', 'by-tokens': 'gpt-image-1' },
      },
      {
        id: 'jobs',
        name: 'BFL',
        provider: 'black-forest-labs',
        api_key: 'upstream-key',
        base_url,
        models: { 'job-by-tokens': 'flux-2-pro' },
      },
    ],
    {
      tasks: { poll_interval_ms: 100 },
      media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
      models: [
        {
          ...{ id: 'by-image', category: 'image', pricing: { per_image: '0.04' } },
          operations: ['images.generations', 'images.edits'],
        },
        { id: 'by-tokens', category: 'image', pricing: TOKEN_PRICES },
        { id: 'job-by-tokens', category: 'image', pricing: TOKEN_PRICES },
      ],
      accounts: [
        {
          id: 'rich',
          name: 'Rich',
          balance_usd: '10',
          requests_per_minute: 1_000_000,
          keys: [{ id: 'rich', name: 'Rich', secret: SECRETS.rich }],
          management_tokens: [{ id: 'rich', name: 'Rich', secret: TOKEN }],
        },
        { id: 'poor', name: 'Poor', balance_usd: '0.01', keys: [{ id: 'poor', name: 'Poor', secret: SECRETS.poor }] },
      ],
    },
  );
});
afterAll(async () => {
  await gateway?.stop();
  upstream.stop(true);
});
beforeEach(() => {
  asked = [];
  answer = () => made();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function ask(body: object, { secret = SECRETS.rich, headers = {} }: { secret?: string; headers?: object } = {}) {
  const told = await fetch(`${gateway.origin}/v1/images/generations`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'a cat', ...body }),
  });
  return { status: told.status, json: asObject(await told.json()) };
}

async function edit(fields: Readonly<Record<string, string>>) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ prompt: 'a cat', model: 'by-image', ...fields })) form.set(name, value);
  form.set('image', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'a.png');
  const told = await fetch(`${gateway.origin}/v1/images/edits`, {
    method: 'POST',
    headers: bearer(SECRETS.rich),
    body: form,
  });
  return { status: told.status, json: asObject(await told.json()) };
}

async function poll(path: unknown): Promise<Readonly<Record<string, unknown>>> {
  return asObject(await (await fetch(`${gateway.origin}${String(path)}`, { headers: bearer(SECRETS.rich) })).json());
}

async function ended(path: unknown): Promise<Readonly<Record<string, unknown>>> {
  await until('the task is final', async () => ['completed', 'failed'].includes(String((await poll(path)).status)));
  return poll(path);
}

async function money(): Promise<{ readonly balance: number; readonly held: number }> {
  const told = await fetch(`${gateway.origin}/v1/management/balance`, { headers: bearer(TOKEN) });
  const { balance_usd, held_usd } = asObject(await told.json());
  return { balance: Number(balance_usd), held: Number(held_usd) };
}

/** Makes the upstream wait with its response until the returned function is called. */
function heldBack(response: () => Response = made): () => void {
  const opened = Promise.withResolvers<null>();
  answer = () => opened.promise.then(response);
  return () => opened.resolve(null);
}

describe('a request with `async: true`', () => {
  test('returns a task before the provider responds, and sends one upstream request', async () => {
    const release = heldBack();
    const { status, json } = await ask({ model: 'by-image', async: true });
    expect([status, json.status, json.object]).toEqual([200, 'pending', 'task']);
    expect(asObject(asObject(json._routing).channel).id).toBe('openai');
    expect((await poll(json.poll_url)).status).toBe('pending');
    release();
    const [image] = asArray((await ended(json.poll_url)).data);
    expect(Buffer.from(await (await fetch(String(asObject(image).url))).arrayBuffer()).toString('base64')).toBe(
      b64_json,
    );
    expect(asked.map(({ body }) => Object.keys(JSON.parse(body)).includes('async'))).toEqual([false]);
  });

  test('fails and is refunded if the provider refuses it', async () => {
    const before = await money();
    const release = heldBack(() =>
      Response.json({ error: { message: 'The prompt is not allowed.' } }, { status: 400 }),
    );
    const { json } = await ask({ model: 'by-image', async: true });
    expect((await money()).held).toBeCloseTo(0.04, 9);
    release();
    expect(await ended(json.poll_url)).toMatchObject({ status: 'failed', error: 'The prompt is not allowed.' });
    expect(await money()).toEqual(before);
  });

  test.each([
    ['a size of the wrong type', { model: 'by-image', size: 'huge' }, 400, 'size'],
    ['a stream', { model: 'by-image', stream: true }, 400, 'async'],
    ['an unknown model', { model: 'nothing' }, 404, 'model'],
    ['a file of another account', { model: 'by-image', file_id: 'file-theirs' }, 404, 'file_id'],
  ])('is refused in the create call for %s', async (_, body, status, param) => {
    const told = await ask({ ...body, async: true });
    expect([told.status, asObject(told.json.error).param]).toEqual([status, param]);
    expect(asked).toEqual([]);
  });

  test('is refused in the create call without enough balance', async () => {
    expect((await ask({ model: 'by-image', async: true }, { secret: SECRETS.poor })).status).toBe(402);
    expect((await ask({ model: 'by-tokens', async: true }, { secret: SECRETS.poor })).status).toBe(402);
    expect(asked).toEqual([]);
  });
});

describe('a model priced by tokens', () => {
  test.each([
    ['as the provider reports them', USAGE, COST_BY_TOKENS],
    // Two text tokens, and 4,160 tokens for an image of unknown quality.
    ['by an estimate if the provider reports none', null, 0.16641],
  ])('is charged %s', async (_, usage, cost) => {
    const before = await money();
    answer = () => made(usage);
    const { json } = await ask({ model: 'by-tokens' }, { headers: { prefer: 'respond-async' } });
    expect((await ended(json.poll_url)).status).toBe('completed');
    const after = await money();
    expect(before.balance - after.balance).toBeCloseTo(cost, 9);
    expect(after.held).toBe(0);
  });

  test('is charged by an estimate if its provider runs a job', async () => {
    const before = await money();
    const { origin } = upstream.url;
    answer = ({ method, url }) =>
      url.endsWith('.png')
        ? new Response(png, { headers: { 'content-type': 'image/png' } })
        : method === 'POST'
          ? Response.json({ id: 'job-1', polling_url: `${origin}/v1/get_result?id=job-1` })
          : Response.json({ id: 'job-1', status: 'Ready', result: { sample: `${origin}/a.png` } });
    const { status, json } = await ask({ model: 'job-by-tokens', async: true });
    expect(status).toBe(200);
    expect((await ended(json.poll_url)).status).toBe('completed');
    expect(before.balance - (await money()).balance).toBeGreaterThan(0.04);
  });
});

test('an edit has `async` as a form field, which is not sent upstream', async () => {
  const release = heldBack();
  const { status, json } = await edit({ async: 'true' });
  expect([status, json.object, json.error]).toEqual([200, 'task', undefined]);
  release();
  expect((await ended(json.poll_url)).status).toBe('completed');
  expect(asked.map(({ path, body }) => [path, body.includes('name="async"')])).toEqual([['/images/edits', false]]);
  const refused = await edit({ async: 'perhaps' });
  expect([refused.status, asObject(refused.json.error).param]).toEqual([400, 'async']);
});

test('images of a crashed gateway are not polled, because the upstream has no job', () => {
  const jobs = imageJobs('openai-images');
  expect(jobs?.isAskable?.({ url: '' })).toBe(false);
  expect(jobs?.isAskable?.({ url: 'https://upstream.example/jobs/1' })).toBe(true);
});
