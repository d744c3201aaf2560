import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
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
import { answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import { strictProblem } from './strict/check.ts';

/* POST /v1/images/generations and /v1/images/edits: behaviour that does not depend on the provider's wire. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const PAYER = clientKey('payer');
const MODEL = 'image-one';
const PIXEL = pngOf({ width: 1, height: 1 }).toString('base64');
const DATA_URI = `data:image/png;base64,${PIXEL}`;
const USAGE = {
  ...{ input_tokens: 10, output_tokens: 100, total_tokens: 110 },
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
};

const made = (count: number, more: object = {}) =>
  Response.json({ created: 7, data: Array.from({ length: count }, () => ({ b64_json: PIXEL })), ...more });
const drawn: Answering = ({ text }) => made(Number(asObject(parseJson(text)).n ?? 1), { usage: USAGE });

let first: FakeUpstream;
let second: FakeUpstream;
let files: ReturnType<typeof Bun.serve>;
let space: Workspace;
let serving: Serving;
let answer: Answering = drawn;
let secondAnswer: Answering = drawn;

const NEVER_OPEN = { minimum_requests: 1_000_000 };

/** The refusals of OpenAI's strict rules, for every request that the upstream received. */
let refusals: string[] = [];

async function judge({ path, headers, bytes }: ReceivedRequest): Promise<void> {
  const wire = path.endsWith('/edits') ? 'openai-image-edits' : 'openai-images';
  const service = { provider: 'openai', wire };
  const sent = { method: 'POST', target: path.replace('/v1', ''), headers, body: bytes };
  const problem = await strictProblem(service, sent);
  if (problem !== null) refusals.push(problem);
}

async function judged(request: ReceivedRequest, answering: Answering): Promise<Response> {
  await judge(request);
  return answering(request);
}

beforeAll(async () => {
  first = startUpstream((request) => judged(request, answer));
  second = startUpstream((request) => judged(request, secondAnswer));
  files = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      url.endsWith('/a.png')
        ? new Response(Buffer.from(PIXEL, 'base64'), { headers: { 'content-type': 'image/png' } })
        : new Response('no such file', { status: 404 }),
  });
  space = await Workspace.create();
  const models = { [MODEL]: 'gpt-image-1' };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    channels: [
      channelTo(first, { id: 'first', provider: 'openai', models, priority: 0, breaker: NEVER_OPEN }),
      channelTo(second, { id: 'second', provider: 'openai', models, priority: 1, breaker: NEVER_OPEN }),
      channelTo(first, {
        id: 'any',
        provider: 'openai-compatible',
        models: { any: 'gpt-image-1' },
        breaker: NEVER_OPEN,
      }),
      channelTo(first, {
        id: 'alone',
        provider: 'openai',
        models: {
          single: 'dall-e-3',
          sized: 'dall-e-3',
          graded: 'gpt-image-1',
          priced: 'gpt-image-1',
          maker: 'gpt-image-1',
        },
        breaker: NEVER_OPEN,
      }),
    ],
    models: [
      { id: MODEL, category: 'image', operations: ['images.generations', 'images.edits'], pricing: 'free' },
      { id: 'any', category: 'image', operations: ['images.edits'], pricing: 'free' },
      { id: 'single', category: 'image', pricing: { per_image: '0.04' } },
      { id: 'maker', category: 'image', pricing: 'free' },
      {
        ...{ id: 'sized', category: 'image' },
        pricing: { per_image: '0.04', per_image_variants: { '1024x1024/hd': '0.08', '1792x1024/hd': '0.12' } },
      },
      {
        ...{ id: 'graded', category: 'image' },
        pricing: { per_image: '0.04', per_image_variants: { '1024x1024/low': '0.011', '1536x1024/high': '0.25' } },
      },
      {
        ...{ id: 'priced', category: 'image', operations: ['images.generations', 'images.edits'] },
        pricing: { input_per_1m: '5', image_input_per_1m: '10', image_output_per_1m: '40' },
      },
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme')]),
      accountWith('payer', [keyNamed('payer')], { billing: 'prepaid', balance_usd: '5' }),
      accountWith('poor', [keyNamed('poor')], { billing: 'prepaid', balance_usd: '0.0001' }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
  await files?.stop(true);
});
beforeEach(() => {
  answer = drawn;
  secondAnswer = drawn;
  refusals = [];
});
afterEach(() => expect(refusals).toEqual([]));

const headersFor = (key: string) => ({ authorization: `Bearer ${key}` });

async function generate(more: object = {}, key = ACME) {
  const body = JSON.stringify({ model: MODEL, prompt: 'a fox', ...more });
  const headers = { ...headersFor(key), 'content-type': 'application/json' };
  return answerOf(await fetch(`${serving.baseUrl}/images/generations`, { method: 'POST', headers, body }));
}

type Part = string | Blob | readonly Blob[];

async function edit(parts: { readonly [name: string]: Part }, key = ACME) {
  const form = new FormData();
  const all: { readonly [name: string]: Part } = { model: MODEL, prompt: 'a hat', ...parts };
  for (const [name, part] of Object.entries(all)) {
    if (typeof part === 'string' || part instanceof Blob) form.append(name, part);
    else for (const one of part) form.append(name, one);
  }
  const init = { method: 'POST', headers: headersFor(key), body: form };
  return answerOf(await fetch(`${serving.baseUrl}/images/edits`, init));
}

const png = (width: number, height = width, more: Parameters<typeof pngOf>[0] | object = {}) =>
  new Blob([new Uint8Array(pngOf({ width, height, ...more }))], { type: 'image/png' });
const sdk = (key = ACME) => new OpenAI({ apiKey: key, baseURL: serving.baseUrl, maxRetries: 0 });

describe('a request', () => {
  test.each([
    [{ model: undefined }, 'model'],
    [{ model: 7 }, 'model'],
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt'],
    [{ n: 0 }, 'n'],
    [{ n: 11 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ n: '1' }, 'n'],
    [{ size: '1024' }, 'size'],
    [{ size: '0x1' }, 'size'],
    [{ size: '16385x16384' }, 'size'],
    [{ aspect_ratio: '16/9' }, 'aspect_ratio'],
    [{ aspect_ratio: '0:1' }, 'aspect_ratio'],
    [{ aspect_ratio: '1:1', size: '1024x1024' }, 'aspect_ratio'],
    [{ quality: 'best' }, 'quality'],
    [{ background: 'red' }, 'background'],
    [{ response_format: 'b64' }, 'response_format'],
    [{ output_format: 'gif' }, 'output_format'],
    [{ output_compression: -1 }, 'output_compression'],
    [{ output_compression: 101 }, 'output_compression'],
    [{ stream: 'true' }, 'stream'],
    [{ partial_images: 4, stream: true }, 'partial_images'],
    [{ partial_images: 1 }, 'partial_images'],
    [{ seed: -1 }, 'seed'],
    [{ operation: 'upscale' }, 'operation'],
    [{ operation: 'image-to-image' }, 'image_url'],
    [{ operation: 'text-to-image', image_url: DATA_URI }, 'operation'],
    [{ image_url: 'ftp://example.com/a.png' }, 'image_url'],
    [{ image_url: 'data:text/html;base64,PGI+' }, 'image_url'],
    [{ image_url: 'data:image/png;base64,PGI+' }, 'image_url'],
    [{ image_url: 'data:image/png;base64,***' }, 'image_url'],
    [{ image_url: DATA_URI, image_urls: [DATA_URI] }, 'image_urls'],
    [{ image_urls: DATA_URI }, 'image_urls'],
    [{ image_urls: [DATA_URI, 7] }, 'image_urls[1]'],
    [{ image_urls: new Array(17).fill(DATA_URI) }, 'image_urls'],
    [{ mask: DATA_URI }, 'mask'],
    [{ mask_url: 'https://a.example/mask.png', image_url: DATA_URI }, 'mask_url'],
    [{ image: DATA_URI, image_url: DATA_URI }, 'image'],
    [{ provider_options: 'x' }, 'provider_options'],
    [{ Model: 'x' }, 'Model'],
  ] as [object, string][])('%#: an invalid value is refused and names its field', async (more, param) => {
    const asked = first.requests.length;
    const { status, json: body } = await generate(more);
    expect([status, asObject(body.error)]).toMatchObject([400, { param, type: 'invalid_request_error' }]);
    expect(first.requests.length).toBe(asked);
  });

  test.each([
    { prompt: 'x'.repeat(32_000) },
    { n: 10 },
    { size: 'auto' },
    { output_compression: 100, output_format: 'webp' },
    { output_compression: 0, output_format: 'jpeg' },
    { image_urls: new Array(16).fill(DATA_URI) },
  ])('%#: a value at its limit is accepted', async (more) => {
    expect((await generate(more)).status).toBe(200);
  });

  test('is accepted at the largest size, and one byte more is a 413', async () => {
    const image = pngOf({ width: 1, height: 1 });
    const of = (bytes: number) => {
      const all = Buffer.concat([image, Buffer.alloc(bytes - image.length)]);
      return generate({ image_url: `data:image/png;base64,${all.toString('base64')}` });
    };
    expect((await of(20 * 1024 * 1024)).status).toBe(200);
    const { status, json: body } = await of(20 * 1024 * 1024 + 1);
    expect([status, asObject(body.error)]).toMatchObject([413, { code: 'payload_too_large', param: 'image_url' }]);
  });

  test('with an image is refused for a model without edits', async () => {
    const { status, json: body } = await generate({ model: 'maker', image_url: DATA_URI });
    expect([status, asObject(body.error)]).toMatchObject([400, { param: 'image_url', code: 'unsupported_parameter' }]);
  });

  test('for a text model names the right endpoint, and an unknown model gets suggestions', async () => {
    const unknown = await generate({ model: 'image-on' });
    expect([unknown.status, unknown.error]).toMatchObject([404, { did_you_mean: MODEL }]);
  });
});

describe('a response', () => {
  test('is the upstream’s, with `_routing`', async () => {
    const { json: body, headers } = await generate({ n: 2 });
    expect(body).toMatchObject({ created: 7, usage: USAGE, _routing: { channel: { id: 'first' }, retryCount: 0 } });
    expect(asArray(body.data)).toEqual([{ b64_json: PIXEL }, { b64_json: PIXEL }]);
    expect(headers.get('x-routing')).toContain('"first"');
  });

  test('has at most the requested number of images', async () => {
    answer = () => made(5, { usage: USAGE });
    expect(asArray((await generate({ n: 2 })).json.data)).toHaveLength(2);
  });

  test('with URLs is passed on, or has them fetched for `b64_json`', async () => {
    const url = `http://127.0.0.1:${files.port}/a.png`;
    answer = () => Response.json({ created: 7, data: [{ url, revised_prompt: 'a red fox' }] });
    secondAnswer = answer;
    const model = { model: 'single' };
    expect(asArray((await generate(model)).json.data)).toEqual([{ url, revised_prompt: 'a red fox' }]);
    const { json: body } = await generate({ ...model, response_format: 'b64_json' });
    expect(asArray(body.data)).toEqual([{ b64_json: PIXEL, revised_prompt: 'a red fox' }]);
  });

  test('with image bytes becomes a link that needs no key, for `url`', async () => {
    const { json: body } = await generate({ response_format: 'url', n: 2 });
    const links = asArray(body.data).map((one) => String(asObject(one).url));
    expect(new Set(links).size).toBe(2);
    for (const link of links) {
      expect(link).toStartWith(serving.baseUrl.replace(/v1$/, 'media/'));
      const read = await fetch(link);
      expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await read.arrayBuffer()).toString('base64')).toBe(PIXEL);
      const forged = link.replace(/signature=./, (text) => `signature=${text.endsWith('A') ? 'B' : 'A'}`);
      expect((await fetch(forged)).status).toBe(404);
    }
  });

  test('whose URL cannot be fetched is an upstream failure', async () => {
    answer = () => Response.json({ created: 7, data: [{ url: `http://127.0.0.1:${files.port}/gone.png` }] });
    const { status, json: body } = await generate({ model: 'single', response_format: 'b64_json' });
    expect([status, asObject(body.error)]).toMatchObject([502, { code: 'upstream_error' }]);
  });

  test('takes several requests if the upstream makes one image per request', async () => {
    const asked = first.requests.length;
    answer = () => made(1);
    const { json: body } = await generate({ model: 'single', n: 3 });
    expect(asArray(body.data)).toHaveLength(3);
    expect(first.requests.length - asked).toBe(3);
  });

  test.each([
    ['no JSON', () => new Response('<html>')],
    ['no images', () => Response.json({ created: 1, data: [] })],
    ['no list', () => Response.json({ created: 1 })],
    ['an invalid image', () => Response.json({ data: [{ b64_json: 7 }] })],
    ['a 500', () => refusal(500, 'broken')],
    ['an error in a 200', () => Response.json({ error: { message: 'no' } })],
  ] as const)('with %s fails over to another channel', async (_, wrong) => {
    answer = wrong;
    const { status, json: body } = await generate();
    expect(status).toBe(200);
    expect(body).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
  });

  test('of a content filter is returned to the client without a retry', async () => {
    answer = () =>
      Response.json(
        {
          error: { message: 'Your request was rejected by the safety system.', code: 'moderation_blocked', type: 'x' },
        },
        { status: 400 },
      );
    const asked = second.requests.length;
    const { status, json: body } = await generate();
    expect([status, asObject(body.error)]).toMatchObject([400, { code: 'moderation_blocked' }]);
    expect(second.requests.length).toBe(asked);
  });
});

describe('image-to-image', () => {
  test('is sent as an edit, as a form', async () => {
    answer = () => made(1);
    const { status } = await generate({ operation: 'image-to-image', image_url: DATA_URI });
    expect(status).toBe(200);
    const sent = first.requests.at(-1);
    expect(sent?.path).toEndWith('/images/edits');
    expect(sent?.headers.get('content-type')).toStartWith('multipart/form-data');
    expect(sent?.text).toContain('name="image"');
  });

  test('fetches a URL for a wire that takes files', async () => {
    answer = () => made(1);
    expect((await generate({ image_url: `http://127.0.0.1:${files.port}/a.png` })).status).toBe(200);
    expect(first.requests.at(-1)?.text).toContain('PNG');
  });

  test('names the field of a URL that cannot be fetched', async () => {
    const { status, json: body } = await generate({ image_urls: [DATA_URI, `http://127.0.0.1:${files.port}/gone`] });
    expect([status, asObject(body.error)]).toMatchObject([400, { param: 'image_urls[1]' }]);
  });
});

describe('an edit', () => {
  beforeEach(() => {
    answer = () => made(1, { usage: USAGE });
    secondAnswer = answer;
  });

  test.each([
    [{}, 'image'],
    [{ image: png(4, 4), prompt: '' }, 'prompt'],
    [{ image: png(4, 5) }, 'image'],
    [{ image: new Blob(['GIF89a']) }, 'image'],
    [{ image: png(4), mask: png(5, 5, { alpha: true }) }, 'mask'],
    [{ image: png(4), mask: png(4) }, 'mask'],
    [{ image: png(4), n: '0' }, 'n'],
    [{ image: png(4), n: '11' }, 'n'],
    [{ image: png(4), n: 'two' }, 'n'],
    [{ image: png(4), size: '300x300' }, 'size'],
    [{ image: png(4), response_format: 'png' }, 'response_format'],
    [{ image: png(4), provider_options: '{' }, 'provider_options'],
    [{ image: png(4), provider_options: `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}` }, 'provider_options'],
    [{ image: png(4), mask: [png(4, 4, { alpha: true }), png(4, 4, { alpha: true })] }, 'mask'],
    [{ image: png(4), prompt: png(4) }, 'prompt'],
    [{ image: 'not a file' }, 'image'],
  ] as const)('%#: an invalid part is refused by name', async (parts, param) => {
    const asked = first.requests.length;
    const { status, json: body } = await edit(parts);
    expect([status, asObject(body.error)]).toMatchObject([400, { param, type: 'invalid_request_error' }]);
    expect(first.requests.length).toBe(asked);
  });

  test('is sent as a form with its mask', async () => {
    const parts = {
      image: png(8),
      mask: png(8, 8, { alpha: true }),
      n: '1',
      size: '512x512',
      response_format: 'b64_json',
    };
    const { status, json: body, headers } = await edit(parts);
    expect([status, asArray(body.data)]).toEqual([200, [{ b64_json: PIXEL }]]);
    // The size becomes 1024x1024, the smallest that the model makes.
    expect(headers.get('x-switchyard-losses')).toContain('size');
    const sent = first.requests.at(-1);
    for (const text of ['name="image"', 'name="mask"', 'name="prompt"', '1024x1024', 'gpt-image-1']) {
      expect(sent?.text).toContain(text);
    }
  });

  test('of several images sends all of them', async () => {
    expect((await edit({ image: [png(4), png(4)] })).status).toBe(200);
    expect(first.requests.at(-1)?.text.match(/name="image(?:\[\])?"/g)).toHaveLength(2);
  });

  test('without a model is routed to one that can edit', async () => {
    const form = new FormData();
    form.append('prompt', 'a hat');
    form.append('image', png(4));
    const init = { method: 'POST', headers: headersFor(ACME), body: form };
    expect((await fetch(`${serving.baseUrl}/images/edits`, init)).status).toBe(200);
  });

  test('is retried in full at the next channel', async () => {
    answer = () => refusal(500, 'broken');
    const { json: body } = await edit({ image: png(16), response_format: 'b64_json' });
    expect(body).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
    const [sent, again] = [first, second].map(({ requests }) => requests.at(-1)?.text.replace(/--+\w+/g, ''));
    expect(again?.length).toBeGreaterThan(100);
    expect(again?.length).toBe(sent?.length ?? 0);
  });
});

describe('a stream', () => {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const streamed = (...events: readonly string[]) =>
    new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });

  test('passes partial images on, and has `_routing` at its end', async () => {
    answer = () =>
      streamed(
        event('image_generation.partial_image', { b64_json: PIXEL, partial_image_index: 0 }),
        event('image_generation.completed', { b64_json: PIXEL, usage: USAGE }),
      );
    const types: string[] = [];
    let last: unknown = null;
    const params = { model: MODEL, prompt: 'a fox', stream: true, partial_images: 1 } as const;
    for await (const part of await sdk().images.generate(params)) {
      types.push(part.type);
      last = part;
    }
    expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
    expect(last).toMatchObject({ b64_json: PIXEL, usage: USAGE, _routing: { channel: { id: 'first' } } });
  });

  test('that breaks off ends with an error', async () => {
    answer = () => streamed(event('image_generation.partial_image', { b64_json: PIXEL, partial_image_index: 0 }));
    const reading = async () => {
      const params = { model: MODEL, prompt: 'a fox', stream: true, partial_images: 1 } as const;
      for await (const _ of await sdk().images.generate(params));
    };
    await expect(reading()).rejects.toThrow();
  });

  test('of a model without streaming has the finished image', async () => {
    answer = () => made(1);
    const types: string[] = [];
    const params = { model: 'single', prompt: 'a fox', stream: true } as const;
    for await (const part of await sdk().images.generate(params)) types.push(`${part.type} ${part.b64_json.length}`);
    expect(types).toEqual([`image_generation.completed ${PIXEL.length}`]);
  });
});

describe('the charge', () => {
  async function costOf({ headers }: Awaited<ReturnType<typeof generate>>): Promise<number | null> {
    let row: { cost_nano: number | null } | null = null;
    await until('the request is logged', () => {
      const database = new Database(space.database, { readonly: true });
      try {
        row = database
          .query<{ cost_nano: number | null }, [string | null]>(
            'SELECT cost_nano FROM request_log WHERE request_id = ?',
          )
          .get(headers.get('x-request-id'));
      } finally {
        database.close();
      }
      return row !== null;
    });
    return (row as { cost_nano: number | null } | null)?.cost_nano ?? null;
  }

  test('is for the tokens that the upstream reports', async () => {
    answer = () => made(1, { usage: USAGE });
    expect(await costOf(await generate({ model: 'priced' }, PAYER))).toBe(10 * 5_000 + 100 * 40_000);
  });

  test('is estimated if no tokens are reported', async () => {
    answer = () => made(1);
    const low = { model: 'priced', quality: 'low', size: '1024x1024' };
    expect(await costOf(await generate(low, PAYER))).toBe(2 * 5_000 + 272 * 40_000);
  });

  test('is for each image that was made', async () => {
    answer = () => made(1);
    expect(await costOf(await generate({ model: 'single', n: 3 }, PAYER))).toBe(120_000_000);
    answer = () => made(4);
    expect(await costOf(await generate({ model: 'single' }, PAYER))).toBe(40_000_000);
  });

  test('is not for implausible token counts', async () => {
    answer = () => made(1, { usage: { ...USAGE, output_tokens: 1e9 } });
    expect(await costOf(await generate({ model: 'priced' }, PAYER))).toBeLessThan(2_000_000_000);
  });

  test.each([
    [{ model: 'sized', quality: 'max', size: '1024x1024' }, 80_000_000],
    [{ model: 'sized', quality: 'hd', size: '1791x1024' }, 120_000_000],
    [{ model: 'sized', quality: 'hd', aspect_ratio: '16:9' }, 120_000_000],
  ] as const)('for %j is by the size and quality that were sent', async (asked, nanoUsd) => {
    answer = () => made(1);
    expect(await costOf(await generate(asked, PAYER))).toBe(nanoUsd);
  });

  test('is for no more expensive image than requested', async () => {
    answer = () => made(1, { size: '1536x1024', quality: 'high' });
    const low = { model: 'graded', quality: 'low', size: '1024x1024' };
    expect(await costOf(await generate(low, PAYER))).toBe(11_000_000);
    expect(await costOf(await generate({ model: 'graded' }, PAYER))).toBe(250_000_000);
  });

  test('is zero for a failure', async () => {
    answer = () => refusal(500, 'broken');
    const failed = await generate({ model: 'single' }, PAYER);
    expect([failed.status, await costOf(failed)]).toEqual([502, 0]);
  });

  test('is reserved first, and a low balance is refused', async () => {
    const asked = first.requests.length;
    expect((await generate({ model: 'single' }, clientKey('poor'))).status).toBe(402);
    expect(first.requests.length).toBe(asked);
  });
});

test.each([
  ['models', '["dear"]', 'models'],
  ['provider[order][]', 'dear', 'provider.order'],
  ['Plugins', '[{"id":"web"}]', 'Plugins'],
])('an edit whose part %s is %s cannot be sent over a shared channel', async (name, value, param) => {
  const before = first.requests.length;
  const { status, json } = await edit({ model: 'any', image: png(4), [name]: value });
  expect([status, asObject(json.error)]).toEqual([
    400,
    expect.objectContaining({ code: 'unsupported_parameter', param }),
  ]);
  expect(first.requests).toHaveLength(before);
  expect((await edit({ model: 'any', image: png(4), harmless: value })).status).toBe(200);
});

test.each([
  [{ images: [{ file_id: 'file-x' }] }, 'images[0].file_id'],
  [{ input_image: { file_id: 'file-x' } }, 'input_image.file_id'],
  [{ file_id: 'file-x' }, 'file_id'],
  [{ references: [{ image_url: 'ms://file-x' }] }, 'references[0].image_url'],
])('a file of the provider, as in %j, cannot be named over a shared channel', async (more, param) => {
  const before = first.requests.length;
  const { status, json } = await generate(more);
  expect([status, asObject(json.error)]).toEqual([404, expect.objectContaining({ code: 'object_not_found', param })]);
  expect(first.requests).toHaveLength(before);
});

test('the official SDK makes and edits images', async () => {
  answer = () => made(1, { usage: USAGE });
  const { data = [] } = await sdk().images.generate({ model: MODEL, prompt: 'a fox' });
  expect(data[0]?.b64_json).toBe(PIXEL);
  const image = await toFile(pngOf({ width: 4, height: 4 }), 'a.png', { type: 'image/png' });
  const edited = await sdk().images.edit({ model: MODEL, prompt: 'a hat', image, response_format: 'b64_json' });
  expect(edited.data?.[0]?.b64_json).toBe(PIXEL);
});
