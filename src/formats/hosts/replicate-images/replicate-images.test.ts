import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  answeredOver,
  failedOver,
  nextOver,
  type SentImageRequest,
  sentOver,
  unaccounted,
  WRONG_VALUES,
} from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { replicateImages } from './index.ts';
import { REPLICATE_MODELS, replicateModel } from './models.ts';

const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const SCHNELL = 'black-forest-labs/flux-schnell';
const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;

describe('a request', () => {
  test('for an official model goes to its endpoint, with everything inside `input`', async () => {
    const asked = { count: 3, seed: 4, fileFormat: 'jpeg', compression: 70, aspectRatio: '16:9' } as const;
    expect(await sentOver(replicateImages, SCHNELL, { ...asked, options: { go_fast: true } })).toEqual({
      body: {
        input: {
          ...{ prompt: 'a fox in the snow', aspect_ratio: '16:9', num_outputs: 3, seed: 4 },
          ...{ output_format: 'jpg', output_quality: 70, go_fast: true },
        },
      },
      files: {},
      suffix: '/models/black-forest-labs/flux-schnell/predictions',
      headers: {},
      lost: [],
    });
  });

  test.each(['stability-ai/sdxl:7762fd07cf82c948538e41f63f77d685e02b063e37e496e96eefd46c929f9bdc', 'a'.repeat(64)])(
    'for %s names the version',
    async (id) => {
      expect(await sentOver(replicateImages, id)).toMatchObject({
        body: { version: id, input: { prompt: 'a fox in the snow' } },
        suffix: '/predictions',
      });
    },
  );

  test('has `size` in pixels if the model takes pixels', async () => {
    const size = { size: { width: 1000, height: 3000 } };
    expect(await sentOver(replicateImages, 'black-forest-labs/flux-1.1-pro', size)).toMatchObject({
      body: { input: { aspect_ratio: 'custom', width: 992, height: 1440 } },
      lost: ['size'],
    });
    const exact = { size: { width: 1024, height: 768 }, aspectRatio: '1:1' };
    expect(await sentOver(replicateImages, 'stability-ai/sdxl:v', exact)).toMatchObject({
      body: { input: { prompt: 'a fox in the snow', width: 1024, height: 768, num_outputs: 1 } },
      lost: ['aspect_ratio'],
    });
    expect(await sentOver(replicateImages, SCHNELL, exact)).toMatchObject({
      body: { input: { aspect_ratio: '4:3' } },
      lost: ['aspect_ratio', 'size'],
    });
  });

  test("has images in the model's own member", async () => {
    const input = async (id: string) => {
      const sent = await sentOver(replicateImages, id, EDIT);
      return typeof sent === 'string' ? sent : sent.body.input;
    };
    expect(await input('black-forest-labs/flux-kontext-pro')).toMatchObject({ input_image: PIXEL });
    expect(await input('google/nano-banana')).toMatchObject({ image_input: [PIXEL] });
    expect(await input('black-forest-labs/flux-2-pro')).toMatchObject({ input_images: [PIXEL] });
    expect(await input('someone/new')).toMatchObject({ image: PIXEL });
    expect(await input(SCHNELL)).toBe('400 image_url');
  });

  test('has no option that replaces a field', async () => {
    expect(await sentOver(replicateImages, SCHNELL, { options: { prompt: 'other' } })).toBe(
      '400 provider_options.prompt',
    );
  });

  test.each(REPLICATE_MODELS)('to %s carries, loses or refuses each pair of members', async (id) => {
    const refused = ['image_url', 'output_format', 'background'];
    const inputOf = ({ body }: SentImageRequest): object => ({ ...(body.input as object) }); // the wire writes an object
    const names: Readonly<Record<string, string>> = { output_quality: 'output_compression' };
    const carried = (sent: SentImageRequest) => Object.keys(inputOf(sent)).map((name) => names[name] ?? name);
    expect(await unaccounted(replicateImages, id, refused, carried)).toEqual([]);
    const { several } = replicateModel(id);
    const sent = await sentOver(replicateImages, id, { count: several?.most ?? 1 });
    expect(typeof sent === 'string' ? sent : inputOf(sent)).toMatchObject(
      several === null ? {} : { [several.member]: several.most },
    );
  });
});

describe('a prediction', () => {
  const urls = { get: 'https://evil.example/v1/predictions/abc' };

  test('is polled by its id until it is done', () => {
    for (const status of ['starting', 'processing']) {
      expect(nextOver(replicateImages, { id: 'vdcbnszbj37', status, urls })).toEqual({
        ...{ method: 'GET', url: '/predictions/vdcbnszbj37', afterMs: 500, body: null },
      } as never);
    }
    expect(nextOver(replicateImages, { id: 'a', status: 'succeeded', output: 'https://x/y.png' })).toBeNull();
  });

  test.each(['../account', 'a/b', '', 5, null, {}])('with the id %p is invalid', (id) => {
    expect(nextOver(replicateImages, { id, status: 'starting', urls })).toMatchObject({ kind: 'garbage' });
  });

  test('in an unknown state has failed, so that it is not polled forever', () => {
    for (const status of [...WRONG_VALUES, 'queued', 'constructor']) {
      expect(nextOver(replicateImages, { id: 'a', status })).toMatchObject({ kind: 'garbage', side: 'upstream' });
    }
    for (const value of WRONG_VALUES) expect(nextOver(replicateImages, value)).toBeInstanceOf(Failure);
  });

  test.each([
    ['NSFW content detected. Try running it again, or try a different prompt.', 'client', 'content_policy_violation'],
    [
      'The input or output was flagged as sensitive. Please try again with different inputs. (E005)',
      'client',
      'content_policy_violation',
    ],
    ['Invalid input: width must be positive (E006)', 'client', undefined],
    ['Input type (c10::Half) and bias type (float) should be the same', 'upstream', undefined],
    ['CUDA out of memory', 'upstream', undefined],
    ['', 'upstream', undefined],
    [null, 'upstream', undefined],
    [{ a: 1 }, 'upstream', undefined],
  ])('that failed with %p is the fault of the %s', (error, side, publicCode) => {
    const failure = nextOver(replicateImages, { id: 'a', status: 'failed', error });
    expect(failure).toMatchObject({ side, retry: side === 'client' ? 'never' : 'other-target' });
    expect(failure instanceof Failure && failure.details.publicCode).toBe(publicCode as never);
  });

  test.each(['canceled', 'aborted'])('that is %s may be tried elsewhere', (status) => {
    expect(nextOver(replicateImages, { id: 'a', status })).toMatchObject({
      ...{ kind: 'job_canceled', side: 'upstream', retry: 'other-target' },
    });
  });
});

describe('a response', () => {
  test('has one image or a list', () => {
    const url = 'https://replicate.delivery/xezq/out-0.webp';
    const image = { url, mediaType: null, revisedPrompt: null };
    expect(answeredOver(replicateImages, { output: url, model: SCHNELL })).toMatchObject({
      images: [image],
      model: SCHNELL,
    });
    expect(answeredOver(replicateImages, { output: [url, PIXEL] })).toMatchObject({
      images: [image, { base64: PIXEL_BASE64 }],
      model: null,
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      for (const answer of [
        value,
        { output: value },
        { output: [value] },
        { output: ['https://x.example/a', value] },
      ]) {
        expect(answeredOver(replicateImages, answer)).toBeInstanceOf(Failure);
      }
    }
    expect(answeredOver(replicateImages, { output: 'ftp://x/y' })).toBeInstanceOf(Failure);
  });
});

describe('a refusal', () => {
  const invalid = (field: unknown) => ({
    ...{ title: 'Input validation failed', detail: '- input.width: Must be less than 1440', status: 422 },
    invalid_fields: [{ type: 'number_lte', field, description: 'Must be less than 1440' }],
  });

  test.each([
    ['input.width', 'size'],
    ['input.num_outputs', 'n'],
    ['input.input_images', 'image'],
    ['input.prompt', 'prompt'],
    ['input', 'input'],
  ])('of %s names the client’s field %s', (field, param) => {
    const failure = failedOver(replicateImages, 422, invalid(field));
    expect(failure).toMatchObject({ side: 'client', status: 400, details: { param } });
  });

  test('with wrong types is still a refusal', () => {
    for (const value of WRONG_VALUES) {
      expect(failedOver(replicateImages, 422, invalid(value))).toMatchObject({ side: 'client' });
      expect(failedOver(replicateImages, 422, value)).toMatchObject({ side: 'client' });
    }
  });

  test('of a version concerns the channel', () => {
    const body = {
      title: 'Invalid version or not permitted',
      detail: 'The specified version does not exist',
      status: 422,
    };
    expect(failedOver(replicateImages, 422, body)).toMatchObject({ side: 'upstream', retry: 'other-target' });
  });
});
