import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { APIError, toFile } from 'openai';
import { accountWith, channelTo, clientKey, keyNamed } from './first-light/upstream.ts';
import { pngOf } from './shared/png.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';
import { strictProblem } from './strict/check.ts';

/* Images over providers with their own request formats. Most run a job, which is polled until it is finished. */

setDefaultTimeout(600_000);

const PNG = pngOf({ width: 2, height: 2 });
const BASE64 = PNG.toString('base64');
const ID = 'job-0123456789abcdef'.replaceAll('-', '');

interface Asked {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly form: Awaited<ReturnType<Request['formData']>> | null;
  readonly text: string;
}

/** The upstream's responses, one per request; the last one repeats. */
type Script = readonly (() => Response)[];

interface Provider {
  readonly name: string;
  readonly wire: string;
  readonly upstreamModel: string;
  /** The path below the server's origin. */
  readonly base: string;
  readonly key: readonly [header: string, value: string];
  readonly created: () => Response;
  readonly working: Script;
  readonly done: () => Response;
  /** The end of a job that failed at the provider, and of one that a filter stopped. */
  readonly failed: () => Response;
  readonly moderated: () => Response;
  /** Every request for one image, as method and path. */
  readonly asks: readonly string[];
  /** Whether a response contains the image itself. */
  readonly isInline?: true;
}

let server: ReturnType<typeof Bun.serve>;
let stranger: ReturnType<typeof Bun.serve>;
let strangers = 0;
let asked: Asked[] = [];
let script: Script = [];
let space: Workspace;
let serving: Serving;

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const json = (body: unknown, status = 200) => Response.json(body, { status });
const job = (status: string, more: object = {}) =>
  json({ status, request_id: ID, response_url: `https://queue.fal.run/fal-ai/flux/requests/${ID}`, ...more });
const prediction = (status: string, more: object = {}) =>
  json(
    { id: ID, model: 'black-forest-labs/flux-schnell', version: 'hidden', input: {}, status, error: null, ...more },
    201,
  );
const result = (status: string, more: object = {}) => json({ id: ID, status, result: null, progress: 0.5, ...more });
const safe = (more: object = {}) => ({
  prompt: 'a fox',
  resolution: '1024x1024',
  is_image_safe: true,
  seed: 1,
  ...more,
});

const PROVIDERS: readonly Provider[] = [
  {
    ...{
      name: 'fal',
      wire: 'fal-images',
      upstreamModel: 'fal-ai/flux/dev',
      base: '',
      key: ['authorization', 'Key upstream-key'],
    },
    created: () => job('IN_QUEUE', { queue_position: 1 }),
    working: [() => job('IN_QUEUE'), () => job('IN_PROGRESS'), () => job('COMPLETED')],
    done: () => json({ images: [{ url: at('/a.png'), content_type: 'image/png', width: 2, height: 2 }] }),
    failed: () => job('COMPLETED', { error: 'Runner disconnected', error_type: 'runner_disconnected' }),
    moderated: () =>
      json({ detail: [{ loc: ['body', 'prompt'], msg: 'Not that.', type: 'content_policy_violation' }] }, 422),
    asks: [
      'POST /fal-ai/flux/dev',
      ...new Array<string>(3).fill(`GET /fal-ai/flux/requests/${ID}/status`),
      `GET /fal-ai/flux/requests/${ID}`,
    ],
  },
  {
    ...{ name: 'replicate', wire: 'replicate-images', upstreamModel: 'black-forest-labs/flux-schnell', base: '/v1' },
    key: ['authorization', 'Bearer upstream-key'],
    created: () => prediction('starting'),
    working: [() => prediction('starting'), () => prediction('processing')],
    done: () => prediction('succeeded', { output: [at('/a.png')] }),
    failed: () => prediction('failed', { error: 'CUDA out of memory' }),
    moderated: () => prediction('failed', { error: 'NSFW content detected.' }),
    asks: [
      'POST /v1/models/black-forest-labs/flux-schnell/predictions',
      ...new Array<string>(3).fill(`GET /v1/predictions/${ID}`),
    ],
  },
  {
    ...{
      name: 'black-forest-labs',
      wire: 'bfl-images',
      upstreamModel: 'flux-2-pro',
      base: '/v1',
      key: ['x-key', 'upstream-key'],
    },
    created: () => json({ id: ID, polling_url: at(`/v1/get_result?id=${ID}&region=eu`), cost: 3 }),
    working: [() => result('Pending'), () => result('Pending')],
    done: () => result('Ready', { result: { sample: at('/a.png'), prompt: 'a fox', seed: 1 } }),
    failed: () => result('Error', { details: { error: 'worker lost' } }),
    moderated: () => result('Request Moderated', { details: { 'Moderation Reasons': ['Unsafe'] } }),
    asks: ['POST /v1/flux-2-pro', ...new Array<string>(3).fill(`GET /v1/get_result?id=${ID}&region=eu`)],
  },
  {
    ...{
      name: 'stability',
      wire: 'stability-images',
      upstreamModel: 'stable-image-core',
      base: '',
      isInline: true,
      working: [],
    },
    key: ['authorization', 'Bearer upstream-key'],
    created: () => json({ image: BASE64, finish_reason: 'SUCCESS', seed: 1 }),
    done: () => json({ image: BASE64, finish_reason: 'SUCCESS', seed: 1 }),
    failed: () => json({ id: 'a', name: 'internal_error', errors: ['broken'] }, 500),
    moderated: () => json({ id: 'a', name: 'content_moderation', errors: ['Your request was flagged.'] }, 403),
    asks: ['POST /v2beta/stable-image/generate/core'],
  },
  {
    ...{
      name: 'ideogram',
      wire: 'ideogram-images',
      upstreamModel: 'ideogram-v3-turbo',
      base: '',
      key: ['api-key', 'upstream-key'],
      working: [],
    },
    created: () => json({ created: '2026-01-23T04:56:07+00:00', data: [safe({ url: at('/a.png') })] }),
    done: () => json({ created: '2026-01-23T04:56:07+00:00', data: [safe({ url: at('/a.png') })] }),
    failed: () => json({ created: 'now', data: [safe({ url: 7 })] }),
    moderated: () => json({ error: 'Prompt provided failed safety check.' }, 422),
    asks: ['POST /v1/ideogram-v3/generate'],
  },
  {
    ...{ name: 'recraft', wire: 'recraft-images', upstreamModel: 'recraftv3', base: '/v1', working: [] },
    key: ['authorization', 'Bearer upstream-key'],
    created: () => json({ created: 7, credits: 40, data: [{ image_id: 'a', url: at('/a.png') }] }),
    done: () => json({ created: 7, credits: 40, data: [{ image_id: 'a', url: at('/a.png') }] }),
    failed: () => json({ created: 7, data: [] }),
    moderated: () => json({ code: 'invalid_request_parameter', message: 'Prompt did not pass moderation.' }, 400),
    asks: ['POST /v1/images/generations'],
  },
];
const JOBS = PROVIDERS.filter(({ working }) => working.length > 0);
const EDITORS: Readonly<Record<string, string>> = {
  'fill-stability': 'stable-image-inpaint',
  'fill-ideogram': 'ideogram-v3',
};

/** The refusals of the strict rules, for every request that the test's provider received. */
let refusals: string[] = [];
/** The provider whose rules judge the requests; `null` while a test judges none. */
let judged: Pick<Provider, 'name' | 'wire' | 'base'> | null = null;

async function judge(method: string, path: string, headers: Headers, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (judged === null) return;
  const { name: provider, wire, base } = judged;
  const sent = { method, target: path.slice(base.length), headers, body: bytes };
  const problem = await strictProblem({ provider, wire }, sent);
  if (problem !== null) refusals.push(problem);
}

const whole = ({ created, working, done }: Provider): Script =>
  working.length === 0 ? [done] : [created, ...working, done];
const ending = ({ created, working }: Provider, end: () => Response): Script =>
  working.length === 0 ? [end] : [created, end];

beforeAll(async () => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/a.png') return new Response(new Uint8Array(PNG), { headers: { 'content-type': 'image/png' } });
      const { method, headers } = request;
      const bytes = new Uint8Array(await request.arrayBuffer());
      await judge(method, pathname, headers, bytes);
      const isForm = headers.get('content-type')?.startsWith('multipart/') === true;
      const form = isForm ? await new Response(bytes, { headers }).formData() : null;
      const text = isForm ? '' : new TextDecoder().decode(bytes);
      asked.push({ method, path: pathname + search, headers, form, text });
      const answer = script[Math.min(asked.length, script.length) - 1];
      return answer?.() ?? new Response('nothing is expected', { status: 500 });
    },
  });
  stranger = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      strangers++;
      return result('Ready', { result: { sample: at('/a.png') } });
    },
  });
  space = await Workspace.create();
  const channelOf = (provider: string, base: string, id: string, models: object, priority = 0) =>
    channelTo({ baseUrl: at(base) }, { id, provider, models, priority, breaker: { minimum_requests: 1_000_000 } });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    channels: [
      ...PROVIDERS.map(({ name, base, upstreamModel }) => channelOf(name, base, name, { [name]: upstreamModel })),
      channelOf('stability', '', 'fill-stability', { 'fill-stability': EDITORS['fill-stability'] }),
      channelOf('ideogram', '', 'fill-ideogram', { 'fill-ideogram': EDITORS['fill-ideogram'] }),
    ],
    models: [...PROVIDERS.map(({ name }) => name), ...Object.keys(EDITORS)].map((id) => ({
      ...{ id, category: 'image', operations: ['images.generations', 'images.edits'], pricing: 'free' },
    })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await server?.stop(true);
  await stranger?.stop(true);
});
beforeEach(() => {
  asked = [];
  strangers = 0;
  refusals = [];
  judged = null;
});
afterEach(() => expect(refusals).toEqual([]));

const sdk = () => new OpenAI({ apiKey: clientKey('acme'), baseURL: serving.baseUrl, maxRetries: 0 });

async function generate(model: string, more: object = {}) {
  return await sdk().images.generate({ model, prompt: 'a fox', ...more });
}

async function failureOf(model: string): Promise<APIError> {
  const failure: unknown = await generate(model).catch((error: unknown) => error);
  if (!(failure instanceof APIError)) throw new Error('the request has not failed');
  return failure;
}

const asks = () => asked.map(({ method, path }) => `${method} ${path}`);

describe.each(PROVIDERS)('$name', (provider) => {
  const { name, key } = provider;

  beforeEach(() => {
    judged = provider;
  });

  test('makes an image for the official SDK and sends its key with every request', async () => {
    script = whole(provider);
    const { data = [] } = await generate(name);
    expect(asks()).toEqual([...provider.asks]);
    for (const { headers } of asked) expect(headers.get(key[0])).toBe(key[1]);
    if (provider.isInline) expect(data[0]?.b64_json).toBe(BASE64);
    else expect(data[0]?.url).toBe(at('/a.png'));
  });

  test('returns the image in the requested form', async () => {
    script = whole(provider);
    expect((await generate(name, { response_format: 'b64_json' })).data?.[0]?.b64_json).toBe(BASE64);
    asked = [];
    const { data = [] } = await generate(name, { response_format: 'url' });
    expect(Buffer.from(await (await fetch(data[0]?.url ?? '')).arrayBuffer()).toString('base64')).toBe(BASE64);
  });

  test('reports a failed job as an upstream failure', async () => {
    script = ending(provider, provider.failed);
    expect((await failureOf(name)).status).toBeGreaterThanOrEqual(500);
  });

  test('reports a filtered image as a client error, without a retry', async () => {
    script = ending(provider, provider.moderated);
    const failure = await failureOf(name);
    expect([failure.status, failure.code]).toEqual([400, 'content_policy_violation']);
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('makes and counts several images', async () => {
    script = [...whole(provider), ...whole(provider)];
    if (provider.isInline || name === 'black-forest-labs') {
      expect((await generate(name, { n: 2 })).data).toHaveLength(2);
      const forms = asked.filter(({ method }) => method === 'POST');
      expect(forms).toHaveLength(2);
      if (provider.isInline) for (const { form } of forms) expect(form?.get('prompt')).toBe('a fox');
    } else {
      await generate(name, { n: 2 });
      expect(asked[0]?.text).toMatch(/"(?:n|num_images|num_outputs)":2/);
    }
  });
});

describe.each(JOBS)('the job at $name', (provider) => {
  const { name, created, working, done } = provider;

  beforeEach(() => {
    judged = provider;
  });

  const broken = () => new Response('broken', { status: 500 });
  const missing = () => json({ detail: 'Not found.' }, 404);

  test('survives a failed poll and is not submitted twice', async () => {
    script = [created, broken, missing, ...working, done];
    expect((await generate(name)).data).toHaveLength(1);
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('fails in an unknown state', async () => {
    const unknown: Readonly<Record<string, () => Response>> = {
      fal: () => job('DREAMING'),
      replicate: () => prediction('dreaming'),
      'black-forest-labs': () => result('Dreaming'),
    };
    script = [created, unknown[name] ?? broken];
    expect((await failureOf(name)).status).toBe(502);
    expect(asked).toHaveLength(2);
  });
});

test('a job is not polled at a foreign host, which would receive the key', async () => {
  const lie = `http://127.0.0.1:${stranger.port}/v1/get_result?id=${ID}`;
  const [bfl] = PROVIDERS.filter(({ name }) => name === 'black-forest-labs');
  script = [() => json({ id: ID, polling_url: lie }), ...(bfl === undefined ? [] : [bfl.done])];
  await generate('black-forest-labs');
  expect([strangers, asks()]).toEqual([0, ['POST /v1/flux-2-pro', `GET /v1/get_result?id=${ID}`]]);
});

describe('a mask', () => {
  const SIDES = { width: 64, height: 64 };
  const picture = () => toFile(pngOf({ ...SIDES, alpha: true }), 'a.png', { type: 'image/png' });

  test.each([
    ['fill-stability', '/v2beta/stable-image/edit/inpaint', 255],
    ['fill-ideogram', '/v1/ideogram-v3/edit', 0],
  ])('over %s has the provider’s colour in the edited area', async (model, path, edited) => {
    const provider = PROVIDERS.find(({ name }) => model.endsWith(name)) as Provider; // Both names are in the list.
    judged = provider;
    script = whole(provider);
    await sdk().images.edit({ model, prompt: 'a hat', image: await picture(), mask: await picture() });
    expect(asks()).toEqual([`POST ${path}`]);
    const [{ form } = { form: null }] = asked;
    const files = ['image', 'mask'].map((name) => form?.get(name));
    const [image, mask] = await Promise.all(
      files.map(async (file) => (file instanceof Blob ? await file.bytes() : null)),
    );
    expect(image).toEqual(new Uint8Array(pngOf({ ...SIDES, alpha: true })));
    // Every pixel of the client's mask is transparent.
    const at = Buffer.from(mask ?? []).indexOf('IDAT') + 4;
    const rows = Bun.inflateSync(new Uint8Array(mask?.subarray(at + 2) ?? []));
    expect([...rows.subarray(1, 3)]).toEqual([edited, edited]);
  });
});
