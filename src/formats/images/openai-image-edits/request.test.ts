import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';
import { INLINE_PIXEL, PLAIN_IMAGE } from '../../shared/testing/image-samples.ts';
import type { OwnMembers } from '../../wire.ts';
import { encodeRequest } from './request.ts';

const PNG = INLINE_PIXEL.bytes;
const FILE: UploadedFile = {
  name: 'cat "1".png',
  declaredType: 'image/png',
  size: PNG.length,
  head: PNG,
  stream: () => new Blob([PNG]).stream(),
  bytes: async () => PNG,
};
const UPLOADED = { kind: 'file', file: FILE, mediaType: 'image/png' } as const;
const EDIT: ImageRequest = { ...PLAIN_IMAGE, kind: 'edit', endpoint: 'edits', images: [UPLOADED] };
const GPT = 'gpt-image-1.5';

interface Sent {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly lost: readonly string[];
}

/** Returns the form as a server reads it. */
async function sent(request: ImageRequest, upstreamModel = GPT, members?: OwnMembers): Promise<Sent | string> {
  const encoded = encodeRequest(request, { upstreamModel, ...(members === undefined ? {} : { members }) });
  if (encoded instanceof Failure) return `${encoded.status} ${encoded.details.param}`;
  if (!(encoded.body instanceof PiecedBody)) throw new Error('no form');
  const pieces = await Promise.all(encoded.body.pieces.map((piece) => ('file' in piece ? piece.file.bytes() : piece)));
  const bytes = await new Blob(pieces).bytes();
  expect(encoded.body.length).toBe(bytes.length);
  const form = await new Response(bytes, { headers: encoded.headers ?? {} }).formData();
  const texts: Record<string, string> = {};
  const files: string[] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') texts[name] = value;
    else {
      expect(Buffer.from(await value.bytes()).equals(Buffer.from(PNG))).toBe(true);
      files.push(`${name} ${value.type} ${value.name}`);
    }
  }
  return { texts, files, lost: encoded.losses.map(({ field, verdict }) => `${field} ${verdict}`) };
}

const plain = { model: GPT, prompt: EDIT.prompt };

describe('the form of an edit', () => {
  test('has the image, the prompt and the model', async () => {
    const found = await sent(EDIT);
    expect(found).toMatchObject({ texts: plain, lost: [] });
    expect(typeof found === 'string' ? found : found.files).toEqual(['image image/png cat %221%22.png']);
  });

  test('has several images as a list, and the mask', async () => {
    const found = await sent({ ...EDIT, images: [UPLOADED, INLINE_PIXEL], mask: INLINE_PIXEL });
    expect(typeof found === 'string' ? found : found.files.map((file) => file.split(' ')[0])).toEqual([
      'image[]',
      'image[]',
      'mask',
    ]);
    expect(typeof found === 'string' ? found : found.files.at(-1)).toBe('mask image/png mask.png');
  });

  test('has every member that the model takes', async () => {
    const request: ImageRequest = {
      ...EDIT,
      count: 2,
      size: { width: 1024, height: 1536 },
      quality: 'high',
      background: 'transparent',
      inputFidelity: 'high',
      fileFormat: 'webp',
      compression: 80,
      stream: true,
      partialImages: 1,
      user: 'u',
      responseFormat: 'b64_json',
      body: { future: 'f', prompt: 'p', 'image[]': 'x', number: 1 },
    };
    expect(await sent(request)).toMatchObject({
      texts: {
        ...plain,
        n: '2',
        size: '1024x1536',
        quality: 'high',
        background: 'transparent',
        input_fidelity: 'high',
        output_format: 'webp',
        output_compression: '80',
        stream: 'true',
        partial_images: '1',
        user: 'u',
        future: 'f',
        number: '1',
      },
      lost: [],
    });
  });

  test('for an older model has the response format, and a supported size', async () => {
    const request: ImageRequest = { ...EDIT, responseFormat: 'url', size: { width: 256, height: 256 } };
    expect(await sent(request, 'dall-e-2')).toMatchObject({
      texts: { model: 'dall-e-2', prompt: EDIT.prompt, response_format: 'url', size: '256x256' },
      lost: [],
    });
    expect(await sent(request)).toMatchObject({ texts: { ...plain, size: '1024x1024' }, lost: ['size approximated'] });
  });
});

describe('a field that an edit cannot carry', () => {
  test('is reported', async () => {
    const request: ImageRequest = {
      ...EDIT,
      seed: 1,
      style: 'vivid',
      negativePrompt: 'x',
      moderation: 'low',
      body: { object: { a: 1 } },
    };
    const found = await sent(request);
    expect(found).toMatchObject({ texts: plain });
    expect(typeof found === 'string' ? found : [...found.lost].sort()).toEqual([
      'moderation dropped',
      'negative_prompt dropped',
      'object dropped',
      'seed dropped',
      'style dropped',
    ]);
  });

  test('is the input fidelity for models without it', async () => {
    const request: ImageRequest = { ...EDIT, inputFidelity: 'high' };
    expect(await sent(request)).toMatchObject({ texts: { input_fidelity: 'high' }, lost: [] });
    for (const model of ['gpt-image-1-mini', 'gpt-image-2', 'gpt-image-2.6-flare']) {
      const found = await sent(request, model);
      expect(found).toMatchObject({ lost: ['input_fidelity dropped'] });
      expect(typeof found === 'string' ? found : Object.keys(found.texts)).toEqual(['model', 'prompt']);
    }
  });

  test('is refused if its meaning would change', async () => {
    expect(await sent({ ...EDIT, images: Array(17).fill(INLINE_PIXEL) })).toBe('400 image');
    expect(typeof (await sent({ ...EDIT, images: Array(16).fill(INLINE_PIXEL) }))).toBe('object');
    expect(await sent({ ...EDIT, images: [UPLOADED, UPLOADED] }, 'dall-e-2')).toBe('400 image');
    expect(await sent(EDIT, 'dall-e-3')).toBe('400 image');
    expect(await sent({ ...EDIT, endpoint: 'generations', body: { image_url: 'u' } }, 'dall-e-3')).toBe(
      '400 image_url',
    );
  });
});

test('provider_options become parts without replacing any', async () => {
  expect(await sent({ ...EDIT, options: { safety_identifier: 's', list: [1] } })).toMatchObject({
    texts: { ...plain, safety_identifier: 's', list: '[1]' },
  });
  expect(await sent({ ...EDIT, options: { model: 'dear' } })).toBe('400 provider_options.model');
  expect(await sent({ ...EDIT, body: { future: 'f' }, options: { future: 'g' } })).toBe('400 provider_options.future');
});

test('parts are renamed or dropped as the provider requires', async () => {
  const request: ImageRequest = { ...EDIT, user: 'u', seed: 3, responseFormat: 'url' };
  const found = await sent(request, 'my-deployment', { user: 'user_id', seed: null, response_format: null });
  expect(found).toMatchObject({ texts: { user_id: 'u', model: 'my-deployment' }, lost: ['seed dropped'] });
  expect(typeof found === 'string' ? found : Object.keys(found.texts).sort()).toEqual(['model', 'prompt', 'user_id']);
});

test('repeated unknown parts are passed on', async () => {
  const encoded = encodeRequest({ ...EDIT, body: { lora: ['one', 'two'] } }, { upstreamModel: GPT });
  if (encoded instanceof Failure || !(encoded.body instanceof PiecedBody)) throw new Error('no form');
  const bytes = await new Blob(
    await Promise.all(encoded.body.pieces.map((piece) => ('file' in piece ? piece.file.bytes() : piece))),
  ).bytes();
  const form = await new Response(bytes, { headers: encoded.headers ?? {} }).formData();
  expect(form.getAll('lora')).toEqual(['one', 'two']);
});
