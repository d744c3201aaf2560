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
  startUpstream,
} from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import { strictProblem } from './strict/check.ts';

/* Image generation and editing with the official SDK, over each provider that has its own API or a variant of OpenAI's. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const PIXEL = pngOf({ width: 1, height: 1 }).toString('base64');

type Body = Readonly<Record<string, unknown>>;

interface Shape {
  readonly provider: string;
  /** The wires of generations and edits, whose rules judge the requests; absent if there are no rules. */
  readonly wires?: readonly [generations: string, edits: string];
  readonly upstreamModel: string;
  readonly channel?: object;
  readonly paths: { readonly generation: string; readonly edit: string | null };
  /** Returns a response with this number of images, with token counts if the provider reports them. */
  answer(images: number): object;
  /** The most images per request. */
  readonly most: number;
  /** The upstream fields for `aspect_ratio: 16:9`. */
  readonly wide: Body;
  /** The upstream fields for one input image; absent if a form is sent. */
  readonly edited?: Body;
  /** A response from which a filter removed the image, or its refusal. */
  readonly filtered: () => Response;
  /** Nano-USD per image, at the prices below. */
  readonly cost: number;
}

const USAGE = {
  ...{ input_tokens: 10, output_tokens: 100, total_tokens: 110 },
  input_tokens_details: { text_tokens: 4, image_tokens: 6 },
};
const PRICING = {
  input_per_1m: '1',
  image_input_per_1m: '2',
  output_per_1m: '3',
  image_output_per_1m: '4',
  per_image: '0.01',
};
const AN_IMAGE = 10_000_000;
const DATA_URI = `data:image/png;base64,${PIXEL}`;

const listOf = (images: number, item: object, more: object = {}) => ({
  created: 7,
  data: Array.from({ length: images }, () => item),
  ...more,
});
const refused = (code: string, type = 'image_generation_user_error') =>
  Response.json({ error: { message: 'Your request was rejected by the safety system.', code, type } }, { status: 400 });

const OPENAI_SHAPE = {
  upstreamModel: 'gpt-image-2',
  answer: (images: number) => listOf(images, { b64_json: PIXEL }, { usage: USAGE }),
  most: 10,
  wide: { size: '1360x768' },
  filtered: () => refused('moderation_blocked'),
  cost: 4 * 1_000 + 6 * 2_000 + 100 * 4_000 + AN_IMAGE,
};

const GEMINI_SHAPE = {
  upstreamModel: 'gemini-3-pro-image',
  answer: () => ({
    candidates: [
      {
        content: {
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thought: true },
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      ...{ promptTokenCount: 10, candidatesTokenCount: 100, thoughtsTokenCount: 5 },
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 4 },
        { modality: 'IMAGE', tokenCount: 6 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 100 }],
    },
  }),
  most: 1,
  wide: { generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9' } } },
  edited: {
    contents: [
      { role: 'user', parts: [{ text: 'a fox' }, { inlineData: { mimeType: 'image/png', data: expect.any(String) } }] },
    ],
  },
  filtered: () => Response.json({ candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'It is not safe.' }] }),
  cost: 4 * 1_000 + 6 * 2_000 + 5 * 3_000 + 100 * 4_000 + AN_IMAGE,
};

const SHAPES: Readonly<Record<string, Shape>> = {
  openai: {
    ...OPENAI_SHAPE,
    provider: 'openai',
    wires: ['openai-images', 'openai-image-edits'],
    paths: { generation: '/v1/images/generations', edit: '/v1/images/edits' },
  },
  azure: {
    ...OPENAI_SHAPE,
    provider: 'azure-openai',
    upstreamModel: 'my/gpt-image-2',
    channel: { settings: { api_version: '2025-04-01-preview' } },
    paths: {
      generation: '/v1/openai/deployments/my%2Fgpt-image-2/images/generations',
      edit: '/v1/openai/deployments/my%2Fgpt-image-2/images/edits',
    },
  },
  compatible: {
    ...OPENAI_SHAPE,
    provider: 'openai-compatible',
    upstreamModel: 'sd-turbo',
    paths: { generation: '/v1/images/generations', edit: '/v1/images/edits' },
  },
  zai: {
    provider: 'zai',
    upstreamModel: 'glm-image',
    paths: { generation: '/v1/images/generations', edit: null },
    answer: (images) => listOf(images, { b64_json: PIXEL }),
    most: 1,
    wide: { size: '1728x960' },
    filtered: () => refused('content_filter'),
    // The tokens of a 5-byte text and of a high-quality image that is not square are estimated.
    cost: 2 * 1_000 + 4_160 * 4_000 + AN_IMAGE,
  },
  xai: {
    provider: 'xai',
    wires: ['xai-images', 'xai-images'],
    upstreamModel: 'grok-imagine-image-2.0',
    paths: { generation: '/v1/images/generations', edit: '/v1/images/edits' },
    answer: (images) =>
      listOf(images, { b64_json: PIXEL, mime_type: 'image/png' }, { usage: { cost_in_usd_ticks: 7 } }),
    most: 10,
    wide: { aspect_ratio: '16:9' },
    edited: { image: { type: 'image_url', url: expect.stringContaining('data:image/png;base64,') } },
    filtered: () => Response.json({ data: [{ url: '', respect_moderation: false }] }),
    // The default quality is medium.
    cost: 2 * 1_000 + 1_056 * 4_000 + AN_IMAGE,
  },
  together: {
    provider: 'together',
    wires: ['together-images', 'together-images'],
    upstreamModel: 'black-forest-labs/FLUX.2-pro',
    paths: { generation: '/v1/images/generations', edit: '/v1/images/generations' },
    answer: (images) => ({
      id: 'x',
      model: 'theirs',
      object: 'list',
      ...listOf(images, { type: 'b64_json', b64_json: PIXEL }),
    }),
    most: 4,
    wide: { width: 1360, height: 768 },
    edited: { reference_images: [expect.stringContaining('data:image/png;base64,')] },
    filtered: () => refused('content_policy_violation', 'invalid_request_error'),
    cost: 2 * 1_000 + 4_160 * 4_000 + AN_IMAGE,
  },
  openrouter: {
    provider: 'openrouter',
    wires: ['openrouter-images', 'openrouter-images'],
    upstreamModel: 'bytedance-seed/seedream-4.5',
    paths: { generation: '/v1/images', edit: '/v1/images' },
    answer: (images) =>
      listOf(
        images,
        { b64_json: PIXEL, media_type: 'image/png' },
        { usage: { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 } },
      ),
    most: 1,
    wide: { aspect_ratio: '16:9' },
    edited: {
      input_references: [{ type: 'image_url', image_url: { url: expect.stringContaining('data:image/png') } }],
    },
    filtered: () => refused('content_filter', 'provider_error'),
    cost: 10 * 1_000 + 100 * 4_000 + AN_IMAGE,
  },
  google: {
    ...GEMINI_SHAPE,
    provider: 'google',
    wires: ['gemini-images', 'gemini-images'],
    paths: {
      generation: '/v1/models/gemini-3-pro-image:generateContent',
      edit: '/v1/models/gemini-3-pro-image:generateContent',
    },
  },
  vertex: {
    ...GEMINI_SHAPE,
    provider: 'vertex',
    wires: ['gemini-images', 'gemini-images'],
    paths: {
      generation: '/v1/v1beta1/publishers/google/models/gemini-3-pro-image:generateContent',
      edit: '/v1/v1beta1/publishers/google/models/gemini-3-pro-image:generateContent',
    },
  },
  imagen: {
    provider: 'google',
    wires: ['imagen', 'imagen'],
    upstreamModel: 'imagen-4.0-generate-001',
    paths: { generation: '/v1/models/imagen-4.0-generate-001:predict', edit: null },
    answer: (images) => ({
      predictions: Array.from({ length: images }, () => ({ bytesBase64Encoded: PIXEL, mimeType: 'image/png' })),
    }),
    most: 4,
    wide: { parameters: { aspectRatio: '16:9', sampleCount: 1, includeRaiReason: true } },
    filtered: () => Response.json({ predictions: [{ raiFilteredReason: 'It is not safe.' }] }),
    cost: 2 * 1_000 + 4_160 * 4_000 + AN_IMAGE,
  },
};

const names = Object.keys(SHAPES);
const shapeOf = (name: string): Shape => {
  const shape = SHAPES[name];
  if (shape === undefined) throw new Error(`there is no shape ${name}`);
  return shape;
};

let upstream: FakeUpstream;
let space: Workspace;
let serving: Serving;
let answer: Answering;

/** The refusals of the strict rules, for every request that the test's provider received. */
let refusals: string[] = [];

/** Returns whether the request has an option that only a channel's owner may send. */
const isOwnOption = ({ text }: ReceivedRequest) => text.includes('an_option');

async function judge(request: ReceivedRequest): Promise<void> {
  const { provider, wires, paths } = shape;
  if (wires === undefined || isOwnOption(request)) return;
  const { path, headers, bytes } = request;
  const isEdit = path === paths.edit && path !== paths.generation;
  const service = { provider, wire: wires[isEdit ? 1 : 0] };
  const sent = { method: 'POST', target: path.replace(/^\/v1(?=\/)/, ''), headers, body: bytes };
  const problem = await strictProblem(service, sent);
  if (problem !== null) refusals.push(problem);
}

beforeAll(async () => {
  upstream = startUpstream(async (request) => {
    await judge(request);
    return answer(request);
  });
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: names.flatMap((name) => {
      const { provider, upstreamModel, channel = {} } = shapeOf(name);
      const breaker = { minimum_requests: 1_000_000 };
      const shared = { provider, breaker, ...channel };
      return [
        channelTo(upstream, { ...shared, id: name, models: { [`${name}-model`]: upstreamModel } }),
        channelTo(upstream, {
          ...shared,
          id: `${name}-own`,
          owner: 'acme',
          models: { [`${name}-own`]: upstreamModel },
        }),
      ];
    }),
    models: names.flatMap((name) =>
      [`${name}-model`, `${name}-own`].map((id) => {
        const { edit } = shapeOf(name).paths;
        const operations = ['images.generations', ...(edit === null ? [] : ['images.edits'])];
        return { id, category: 'image', operations, pricing: PRICING };
      }),
    ),
    accounts: [accountWith('acme', [keyNamed('acme')], { billing: 'prepaid', balance_usd: '1000' })],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

let shape: Shape;
beforeEach(() => {
  answer = (request) => Response.json(shape.answer(countIn(request)));
  refusals = [];
});
afterEach(() => expect(refusals).toEqual([]));

function countIn({ text }: ReceivedRequest): number {
  const body = text.startsWith('{') ? asObject(parseJson(text)) : {};
  const { sampleCount } = asObject(body.parameters ?? {});
  return Number(body.n ?? sampleCount ?? 1);
}

const sdk = () => new OpenAI({ apiKey: ACME, baseURL: serving.baseUrl, maxRetries: 0 });
const lastSent = () => upstream.requests.at(-1);
const lastBody = () => asObject(parseJson(lastSent()?.text ?? '{}'));

async function generate(name: string, more: object = {}) {
  const body = JSON.stringify({ model: `${name}-model`, prompt: 'a fox', ...more });
  const headers = { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' };
  return answerOf(await fetch(`${serving.baseUrl}/images/generations`, { method: 'POST', headers, body }));
}

const costOf = ({ headers }: Awaited<ReturnType<typeof generate>>) => costWithId(headers.get('x-request-id'));

async function costWithId(id: string | null): Promise<number | null> {
  const found: { cost_nano: number | null }[] = [];
  await until('the request is logged', () => {
    const database = new Database(space.database, { readonly: true });
    try {
      const select = database.query<{ cost_nano: number | null }, [string | null]>(
        'SELECT cost_nano FROM request_log WHERE request_id = ?',
      );
      found.push(...select.all(id));
    } finally {
      database.close();
    }
    return found.length > 0;
  });
  return found[0]?.cost_nano ?? null;
}

describe.each(names)('%s', (name) => {
  beforeEach(() => {
    shape = shapeOf(name);
  });

  test('makes images, as base64 and as links', async () => {
    const model = `${name}-model`;
    const inline = await sdk().images.generate({ model, prompt: 'a fox', response_format: 'b64_json' });
    expect(inline.data?.map(({ b64_json }) => b64_json)).toEqual([PIXEL]);
    expect(lastSent()?.path).toBe(shape.paths.generation);
    const linked = await sdk().images.generate({ model, prompt: 'a fox', response_format: 'url' });
    const [link] = linked.data ?? [];
    const file = await fetch(link?.url ?? '');
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await file.bytes()).toString('base64')).toBe(PIXEL);
  });

  test('makes the requested number of images, in several requests if necessary', async () => {
    const asked = upstream.requests.length;
    const { data = [] } = await sdk().images.generate({ model: `${name}-model`, prompt: 'a fox', n: 6 });
    expect(data).toHaveLength(6);
    expect(upstream.requests.length - asked).toBe(Math.ceil(6 / shape.most));
  });

  test('gets a ratio in its own fields, and an unsupported one is named', async () => {
    const { status, headers } = await generate(name, { aspect_ratio: '16:9', style: 'natural', future_member: 1 });
    expect(status).toBe(200);
    expect(lastBody()).toMatchObject(shape.wide);
    const losses = headers.get('x-switchyard-losses') ?? '';
    const isSent = (member: string) => Object.hasOwn(lastBody(), member);
    for (const member of ['style', 'future_member'])
      expect([member, isSent(member) || losses.includes(member)]).toEqual([member, true]);
  });

  test('edits an image, or refuses it by its field', async () => {
    const image = await toFile(pngOf({ width: 4, height: 4 }), 'a.png', { type: 'image/png' });
    const { edit } = shape.paths;
    if (edit === null) {
      const { status, json: body } = await generate(name, { image_url: DATA_URI });
      expect([status, asObject(body.error)]).toMatchObject([400, { param: 'image_url' }]);
      return;
    }
    const { data = [] } = await sdk().images.edit({
      model: `${name}-model`,
      prompt: 'a fox',
      image,
      response_format: 'b64_json',
    });
    expect(data.map(({ b64_json }) => b64_json)).toEqual([PIXEL]);
    expect(lastSent()?.path).toBe(edit);
    if (shape.edited === undefined) expect(lastSent()?.text).toContain('name="image"; filename="a.png"');
    else expect(lastBody()).toMatchObject(shape.edited);
    expect((await generate(name, { operation: 'image-to-image', image_url: DATA_URI })).status).toBe(200);
    expect(lastSent()?.path).toBe(edit);
  });

  test('streams the finished image if the upstream does not stream', async () => {
    const types: string[] = [];
    const params = { model: `${name}-model`, prompt: 'a fox', stream: true } as const;
    for await (const event of await sdk().images.generate(params)) {
      if (event.type === 'image_generation.completed') types.push(event.b64_json);
    }
    expect(types).toEqual([PIXEL]);
  });

  test('reports a filtered image as a client error', async () => {
    answer = shape.filtered;
    const { status, json: body } = await generate(name);
    expect([status, asObject(body.error)]).toMatchObject([400, { type: 'invalid_request_error' }]);
    expect(String(asObject(body.error).code)).toMatch(
      /^(?:moderation_blocked|content_filter|content_policy_violation)$/,
    );
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', '{}'],
    ['a list', '[]'],
    ['empty lists', '{"data":[],"candidates":[],"predictions":[{}]}'],
    ['invalid images', '{"data":[{"b64_json":"?","url":"x"}],"predictions":[{"bytesBase64Encoded":"?"}]}'],
  ])('that answers with %s is an upstream failure', async (kind, text) => {
    answer = () => new Response(text);
    const { status, json: body } = await generate(name);
    // Imagen reports a filter only by leaving out the images.
    const isFiltered = name === 'imagen' && kind === 'nothing';
    expect([status, asObject(body.error).code]).toEqual(
      isFiltered ? [400, 'content_policy_violation'] : [502, 'upstream_error'],
    );
  });

  test('is charged exactly', async () => {
    expect(await costOf(await generate(name))).toBe(shape.cost);
    answer = () => new Response('<html>');
    expect(await costOf(await generate(name))).toBe(0);
  });

  test('gets its own options from the channel’s owner only', async () => {
    const provider_options = { an_option: { deep: [1] } };
    const refusal = await generate(name, { provider_options });
    expect([refusal.status, asObject(refusal.json.error).param]).toEqual([400, 'provider_options.an_option']);
    const { status } = await generate(name, { model: `${name}-own`, provider_options });
    expect(status).toBe(200);
    expect(lastSent()?.text).toContain('"an_option":{"deep":[1]}');
    const { json: body } = await generate(name, {
      model: `${name}-own`,
      provider_options: { prompt: 'x', contents: 1, sampleCount: 9 },
    });
    expect(asObject(body.error)).toMatchObject({ param: expect.stringMatching(/^provider_options\./) });
  });

  test('has `_routing` in its response and no upstream model name', async () => {
    const { json: body } = await generate(name);
    expect(body).toMatchObject({ _routing: { channel: { id: name } } });
    expect(asArray(body.data)).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain('theirs');
  });
});

describe.each(['openai', 'azure', 'compatible'])('%s streams', (name) => {
  beforeEach(() => {
    shape = shapeOf(name);
  });

  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PIXEL, size: '1024x1024', ...more })}\n\n`;
  const streamed = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

  test('an edit with partial images, and is charged for it', async () => {
    answer = () =>
      streamed(
        event('image_edit.partial_image', { partial_image_index: 0 }) + event('image_edit.completed', { usage: USAGE }),
      );
    const image = await toFile(pngOf({ width: 4, height: 4 }), 'a.png', { type: 'image/png' });
    const params = { model: `${name}-model`, prompt: 'a fox', image, stream: true, partial_images: 1 } as const;
    const { data, response } = await sdk().images.edit(params).withResponse();
    const types: string[] = [];
    for await (const part of data) types.push(part.type);
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(lastSent()?.text).toMatch(/name="stream"\r\n\r\ntrue\r\n/);
    expect(lastSent()?.text).toMatch(/name="partial_images"\r\n\r\n1\r\n/);
    expect(await costWithId(response.headers.get('x-request-id'))).toBe(shapeOf(name).cost);
  });

  test('a late refusal as the error that it is', async () => {
    const moderated = { code: 'moderation_blocked', message: 'Your request was rejected.', type: 'x' };
    answer = () =>
      streamed(
        event('image_generation.partial_image', { partial_image_index: 0 }) +
          `event: error\ndata: ${JSON.stringify({ type: 'error', error: moderated })}\n\n`,
      );
    const reading = async () => {
      const params = { model: `${name}-model`, prompt: 'a fox', stream: true, partial_images: 1 } as const;
      for await (const _ of await sdk().images.generate(params));
    };
    await expect(reading()).rejects.toThrow('Your request was rejected.');
  });
});
