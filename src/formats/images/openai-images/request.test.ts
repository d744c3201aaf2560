import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { PLAIN_IMAGE } from '../../shared/testing/image-samples.ts';
import type { OwnMembers } from '../../wire.ts';
import { encodeRequest } from './request.ts';

const utf8 = new TextEncoder();

/** Returns a client's request: the canonical members, and the body that they were read from. */
function asked(body: object, canonical: Partial<ImageRequest> = {}): ImageRequest {
  const whole = { model: 'public-model', prompt: PLAIN_IMAGE.prompt, ...body };
  return { ...PLAIN_IMAGE, ...canonical, body: whole, bytes: utf8.encode(JSON.stringify(whole)) };
}

interface Sent {
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly lost: readonly string[];
}

function sent(request: ImageRequest, upstreamModel: string, members?: OwnMembers): Sent | string {
  const encoded = encodeRequest(request, { upstreamModel, ...(members === undefined ? {} : { members }) });
  if (encoded instanceof Failure) return `${encoded.status} ${encoded.details.param}`;
  if (!(encoded.body instanceof Uint8Array)) throw new Error('no bytes');
  const text = new TextDecoder().decode(encoded.body);
  const lost = encoded.losses.map(({ field, verdict }) => `${field} ${verdict}`);
  return { text, body: JSON.parse(text), lost };
}

const GPT = 'gpt-image-1.5';
const plain = { prompt: PLAIN_IMAGE.prompt };

describe('the client’s bytes', () => {
  test('stay the same except for the model', () => {
    const text = '{ "prompt" : "a \\u0066ox in the snow",\n "model":"public-model", "future": {"a": 1.0} }';
    const request = { ...PLAIN_IMAGE, bytes: utf8.encode(text), body: JSON.parse(text) };
    expect(sent(request, GPT)).toMatchObject({ text: text.replace('public-model', GPT), lost: [] });
  });

  test('lose members of the gateway at the beginning, the middle and the end', () => {
    const names = ['operation', 'cache_control', 'provider_options', 'image_urls', 'image_url'];
    for (const first of names) {
      for (const last of names.filter((name) => name !== first)) {
        const body = { [first]: {}, model: 'public-model', [`x-${first}`]: 1, prompt: plain.prompt, [last]: [] };
        const request = { ...asked({}), body, bytes: utf8.encode(JSON.stringify(body)) };
        expect(sent(request, GPT)).toMatchObject({ body: { model: GPT, [`x-${first}`]: 1, ...plain }, lost: [] });
      }
    }
  });

  test('are built from the members if there are none', () => {
    const request = { ...PLAIN_IMAGE, bytes: null, body: { model: 'm' } };
    expect(sent(request, GPT)).toMatchObject({ body: { model: GPT, ...plain } });
  });
});

describe('the response format', () => {
  test('is sent to all but GPT models', () => {
    for (const model of [GPT, 'gpt-image-2', 'chatgpt-image-latest', 'openai/gpt-image-1-mini', 'glm-image']) {
      const request = asked({ response_format: 'url' }, { responseFormat: 'url' });
      expect(sent(request, model)).toMatchObject({ body: { model, ...plain }, lost: [] });
    }
    for (const model of ['dall-e-3', 'dall-e-2', 'some-server-model']) {
      const request = asked({ response_format: 'b64_json' }, { responseFormat: 'b64_json' });
      expect(sent(request, model)).toMatchObject({ body: { response_format: 'b64_json' }, lost: [] });
    }
  });

  test('is not sent to a provider without it, without a loss', () => {
    const request = asked({ response_format: 'url', n: 1 }, { responseFormat: 'url' });
    const found = sent(request, 'my-deployment', { response_format: null, n: null });
    expect(found).toMatchObject({ body: { model: 'my-deployment', ...plain }, lost: [] });
    expect(sent(request, 'dall-e-3', { response_format: null })).toMatchObject({ body: { response_format: 'url' } });
  });
});

describe('the size', () => {
  const size = (width: number, height: number) => asked({ size: `${width}x${height}` }, { size: { width, height } });

  test('is exact if the model has it, else the nearest', () => {
    expect(sent(size(1536, 1024), GPT)).toMatchObject({ body: { size: '1536x1024' }, lost: [] });
    expect(sent(size(256, 256), GPT)).toMatchObject({ body: { size: '1024x1024' }, lost: ['size approximated'] });
    expect(sent(size(1792, 1024), 'dall-e-3')).toMatchObject({ body: { size: '1792x1024' }, lost: [] });
    expect(sent(size(1792, 1024), 'gpt-image-2')).toMatchObject({ body: { size: '1792x1024' }, lost: [] });
    expect(sent(size(1001, 999), 'gpt-image-2')).toMatchObject({
      body: { size: '1008x992' },
      lost: ['size approximated'],
    });
    expect(sent(size(333, 77), 'some-server')).toMatchObject({ body: { size: '333x77' }, lost: [] });
  });

  test('is derived from a ratio', () => {
    const ratio = (aspectRatio: string) => asked({ aspect_ratio: aspectRatio }, { aspectRatio });
    expect(sent(ratio('3:2'), GPT)).toMatchObject({ body: { model: GPT, ...plain, size: '1536x1024' }, lost: [] });
    expect(sent(ratio('16:9'), GPT)).toMatchObject({
      body: { size: '1536x1024' },
      lost: ['aspect_ratio approximated'],
    });
    expect(sent(ratio('1:1'), 'gpt-image-2')).toMatchObject({ body: { size: '1024x1024' }, lost: [] });
    expect(sent(ratio('16:9'), 'gpt-image-2')).toMatchObject({ lost: ['aspect_ratio approximated'] });
  });

  test('of auto is sent to models that choose it themselves', () => {
    const auto = asked({ size: 'auto' }, { size: 'auto' });
    expect(sent(auto, GPT)).toMatchObject({ body: { size: 'auto' }, lost: [] });
    expect(sent(auto, 'dall-e-3')).toMatchObject({ body: { model: 'dall-e-3', ...plain }, lost: [] });
  });
});

describe('fields of other models', () => {
  test('are dropped or refused by their meaning', () => {
    expect(sent(asked({ style: 'vivid' }, { style: 'vivid' }), GPT)).toMatchObject({
      body: { model: GPT, ...plain },
      lost: ['style dropped'],
    });
    const both = asked({ seed: 1, negative_prompt: 'x' }, { seed: 1, negativePrompt: 'x' });
    expect(sent(both, GPT)).toMatchObject({
      body: { model: GPT, ...plain },
      lost: ['negative_prompt dropped', 'seed dropped'],
    });
    expect(sent(both, 'some-server')).toMatchObject({ body: { seed: 1, negative_prompt: 'x' }, lost: [] });
    expect(sent(both, 'my-azure', { seed: null, negative_prompt: null })).toMatchObject({
      body: { model: 'my-azure', ...plain },
      lost: ['seed dropped', 'negative_prompt dropped'],
    });
    const transparent = asked({ background: 'transparent' }, { background: 'transparent' });
    expect(sent(transparent, GPT)).toMatchObject({ body: { background: 'transparent' }, lost: [] });
    expect(sent(transparent, 'dall-e-3')).toBe('400 background');
    const webp = asked({ output_format: 'webp' }, { fileFormat: 'webp' });
    expect(sent(webp, 'dall-e-2')).toBe('400 output_format');
    expect(sent(webp, GPT)).toMatchObject({ body: { output_format: 'webp' } });
  });

  test('with default values are removed without a loss', () => {
    const canonical = { background: 'opaque', moderation: 'auto', fileFormat: 'png', quality: 'auto' } as const;
    const request = asked(
      { background: 'opaque', moderation: 'auto', output_format: 'png', quality: 'auto' },
      canonical,
    );
    expect(sent(request, 'dall-e-2')).toMatchObject({ body: { model: 'dall-e-2', ...plain }, lost: [] });
    expect(sent(request, GPT)).toMatchObject({ body: { background: 'opaque', quality: 'auto' }, lost: [] });
  });

  test('for the quality are mapped', () => {
    const hd = asked({ quality: 'hd' }, { quality: 'hd' });
    expect(sent(hd, GPT)).toMatchObject({ body: { quality: 'high' }, lost: ['quality approximated'] });
    expect(sent(hd, 'dall-e-3')).toMatchObject({ body: { quality: 'hd' }, lost: [] });
    expect(sent(hd, 'dall-e-2')).toMatchObject({ body: { model: 'dall-e-2', ...plain }, lost: ['quality dropped'] });
    const max = asked({ quality: 'max' }, { quality: 'max' });
    expect(sent(max, 'gpt-image-2.6-flare')).toMatchObject({ body: { quality: 'max' }, lost: [] });
    expect(sent(max, 'gpt-image-2')).toMatchObject({ body: { quality: 'high' }, lost: ['quality approximated'] });
  });

  test('for streams are sent only to models with streams', () => {
    const request = asked({ stream: true, partial_images: 2 }, { stream: true, partialImages: 2 });
    expect(sent(request, GPT)).toMatchObject({ body: { stream: true, partial_images: 2 }, lost: [] });
    expect(sent(request, 'dall-e-3')).toMatchObject({
      body: { model: 'dall-e-3', ...plain },
      lost: ['partial_images dropped'],
    });
  });
});

test('n is the count of this request, which may be part of the client’s', () => {
  expect(sent(asked({ n: 4 }, { count: 4 }), GPT)).toMatchObject({ body: { n: 4 } });
  expect(sent(asked({ n: 4 }, { count: 1 }), 'dall-e-3')).toMatchObject({ body: { n: 1 } });
  expect(sent(asked({}, { count: 1 }), GPT)).toMatchObject({ body: { model: GPT, ...plain } });
  expect(sent(asked({ n: null }, { count: 1 }), GPT)).toMatchObject({ text: expect.stringContaining('"n":null') });
});

test('images and masks belong to another wire', () => {
  const url = { kind: 'url', url: 'https://a.example/b.png' } as const;
  const request = asked({ image_url: url.url }, { images: [url], kind: 'edit' });
  expect(sent(request, GPT)).toBe('400 image_url');
  expect(sent(asked({}, { mask: url }), GPT)).toBe('400 mask');
});

describe('provider_options', () => {
  const withOptions = (options: object, body: object = {}, canonical: Partial<ImageRequest> = {}) =>
    asked({ provider_options: options, ...body }, { ...canonical, options: { ...options } });

  test('become members of the body', () => {
    const options = { safety_identifier: 's', nested: { a: [1] } };
    expect(sent(withOptions(options), GPT)).toMatchObject({ body: { model: GPT, ...plain, ...options }, lost: [] });
    expect(sent(withOptions({ seed: 3 }, { seed: null }), GPT)).toMatchObject({ body: { seed: 3 } });
  });

  test('do not replace anything that the gateway or the client wrote', () => {
    expect(sent(withOptions({ model: 'dear-model' }), GPT)).toBe('400 provider_options.model');
    expect(sent(withOptions({ prompt: 'x' }), GPT)).toBe('400 provider_options.prompt');
    expect(sent(withOptions({ n: 3 }, { n: 2 }, { count: 2 }), GPT)).toBe('400 provider_options.n');
    expect(sent(withOptions({ future: 1 }, { future: 2 }), GPT)).toBe('400 provider_options.future');
  });
});

test('members are renamed as the provider requires', () => {
  const request = asked({ user: 'u', n: 1 }, { user: 'u' });
  expect(sent(request, 'glm-image', { n: null, user: 'user_id' })).toMatchObject({
    body: { model: 'glm-image', ...plain, user_id: 'u' },
    lost: [],
  });
});

test('the body is one JSON object without duplicates for every pair of members', () => {
  const members: readonly (readonly [string, unknown, Partial<ImageRequest>])[] = [
    ['n', 3, { count: 3 }],
    ['size', '640x480', { size: { width: 640, height: 480 } }],
    ['aspect_ratio', '16:9', { aspectRatio: '16:9' }],
    ['quality', 'hd', { quality: 'hd' }],
    ['style', 'vivid', { style: 'vivid' }],
    ['background', 'opaque', { background: 'opaque' }],
    ['moderation', 'low', { moderation: 'low' }],
    ['seed', 7, { seed: 7 }],
    ['negative_prompt', 'fog', { negativePrompt: 'fog' }],
    ['response_format', 'url', { responseFormat: 'url' }],
    ['output_compression', 50, { compression: 50 }],
    ['stream', true, { stream: true }],
    ['partial_images', 1, { partialImages: 1 }],
    ['user', 'u', { user: 'u' }],
    ['input_fidelity', 'high', { inputFidelity: 'high' }],
  ];
  for (const model of [GPT, 'gpt-image-2', 'gpt-image-2.6-flare', 'dall-e-2', 'dall-e-3', 'glm-image', 'server']) {
    for (const [first, one, canonicalOne] of members) {
      for (const [second, other, canonicalOther] of members) {
        const request = asked({ [first]: one, [second]: other }, { ...canonicalOne, ...canonicalOther });
        const found = sent(request, model);
        if (typeof found === 'string') throw new Error(`${model} ${first} ${second}: ${found}`);
        const keys = [...found.text.matchAll(/[{,]"([a-z_]+)":/g)].map(([, key]) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const name of [first, second]) {
          const isSent = Object.hasOwn(found.body, name);
          const isNamed = found.lost.some((loss) => loss.startsWith(`${name} `));
          const isMadeHere = ['response_format', 'stream', 'partial_images', 'aspect_ratio'].includes(name);
          const isUsual = name === 'background';
          expect(isSent || isNamed || isMadeHere || isUsual).toBe(true);
        }
      }
    }
  }
});
