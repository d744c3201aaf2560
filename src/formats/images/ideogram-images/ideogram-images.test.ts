import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  answeredOver,
  failedOver,
  type SentImageRequest,
  sentOver,
  unaccounted,
  WRONG_VALUES,
} from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, MASK_PIXEL } from '../../shared/testing/image-samples.ts';
import { ideogramImages } from './index.ts';

const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;
const IMAGE = {
  url: 'https://ideogram.ai/api/images/ephemeral/a.png?exp=1',
  prompt: 'a fox, in the snow',
  resolution: '1280x800',
};
const SAFE = { ...IMAGE, is_image_safe: true, seed: 1 };

describe('a request', () => {
  test("has the speed of the model's name", async () => {
    const asked = { count: 2, seed: 5, style: 'realistic', size: { width: 1280, height: 800 } } as const;
    expect(await sentOver(ideogramImages, 'ideogram-v3-turbo', { ...asked, quality: 'high' })).toEqual({
      body: {
        ...{ prompt: 'a fox in the snow', num_images: 2, rendering_speed: 'TURBO', seed: 5 },
        ...{ style_type: 'REALISTIC', resolution: '1280x800' },
      },
      ...{ files: {}, suffix: '/v1/ideogram-v3/generate', headers: {}, lost: ['quality'] },
    });
    expect(await sentOver(ideogramImages, 'ideogram-v3', { options: { rendering_speed: 'FLASH' } })).toBe(
      '400 provider_options.rendering_speed',
    );
  });

  test('has a ratio, or the nearest size', async () => {
    expect(await sentOver(ideogramImages, 'ideogram-v3', { aspectRatio: '16:9' })).toMatchObject({
      body: { aspect_ratio: '16x9' },
      lost: [],
    });
    expect(await sentOver(ideogramImages, 'ideogram-v3', { size: { width: 2000, height: 2000 } })).toMatchObject({
      body: { resolution: '1024x1024' },
      lost: ['size'],
    });
  });

  test('with a mask is an edit that fills black, and without one a remix', async () => {
    const masked = { ...EDIT, mask: MASK_PIXEL, aspectRatio: '1:1', negativePrompt: 'fog' };
    expect(await sentOver(ideogramImages, 'ideogram-v3', masked)).toMatchObject({
      body: { prompt: 'a fox in the snow', num_images: '1', rendering_speed: 'DEFAULT' },
      files: { image: ['image.png image/png 69'], mask: [expect.stringContaining('mask.png')] },
      ...{ suffix: '/v1/ideogram-v3/edit', lost: ['aspect_ratio', 'negative_prompt'] },
    });
    expect(await sentOver(ideogramImages, 'ideogram-v3', { ...EDIT, negativePrompt: 'fog' })).toMatchObject({
      body: { negative_prompt: 'fog' },
      ...{ files: { image: ['image.png image/png 69'] }, suffix: '/v1/ideogram-v3/remix', lost: [] },
    });
    expect(await sentOver(ideogramImages, 'ideogram-v3', { ...EDIT, mask: INLINE_PIXEL })).toBe('400 mask');
  });

  test('by instruction has several images, and a transparent background', async () => {
    const asked = { kind: 'edit', images: [INLINE_PIXEL, INLINE_PIXEL], background: 'transparent' } as const;
    expect(await sentOver(ideogramImages, 'ideogram-edit', asked)).toMatchObject({
      body: { transparent_background: 'true' },
      files: { images: ['image-1.png image/png 69', 'image-2.png image/png 69'] },
      suffix: '/v1/edit',
    });
  });

  test.each(['ideogram-v3', 'ideogram-v3-quality', 'ideogram-v4', 'ideogram-edit'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const refused = ['image_url', 'output_format', 'background'];
      // The model produces PNG and has no member for it.
      const carried = (sent: SentImageRequest) => [
        ...Object.keys(sent.body),
        ...(sent.body.style_type ? ['style'] : []),
      ];
      const problems = await unaccounted(ideogramImages, model, refused, carried);
      expect(problems.filter((problem) => !/: output_format$/.test(problem))).toEqual([]);
      for (const asked of [{}, { count: 8 }, EDIT, { ...EDIT, mask: MASK_PIXEL }, { aspectRatio: '7:5', seed: 9 }]) {
        const sent = await sentOver(ideogramImages, model, asked);
        if (typeof sent === 'string') expect(sent).toMatch(/^400 (?:image_url|mask)$/);
      }
    },
  );
});

describe('a response', () => {
  test('has images with the prompt that was used', () => {
    const answer = { created: '2026-01-23T04:56:07+00:00', data: [SAFE, { ...SAFE, prompt: 'a fox in the snow' }] };
    expect(answeredOver(ideogramImages, answer)).toMatchObject({
      images: [
        { url: IMAGE.url, revisedPrompt: 'a fox, in the snow' },
        { url: IMAGE.url, revisedPrompt: null },
      ],
      ...{ created: 1_769_144_167, size: '1280x800' },
    });
  });

  test('excludes unsafe images, and is a refusal if none is safe', () => {
    const unsafe = { ...SAFE, url: null, is_image_safe: false };
    const read = answeredOver(ideogramImages, { created: 'x', data: [unsafe, SAFE] });
    expect(!(read instanceof Failure) && read.images.length).toBe(1);
    expect(answeredOver(ideogramImages, { created: 'x', data: [unsafe] })).toMatchObject({
      ...{ side: 'client', details: { publicCode: 'content_policy_violation' } },
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      for (const answer of [value, { data: value }, { data: [value] }, { data: [{ ...SAFE, url: value }] }]) {
        expect(answeredOver(ideogramImages, answer)).toBeInstanceOf(Failure);
      }
      const odd = { created: value, data: [{ ...SAFE, prompt: value, resolution: value }] };
      expect(answeredOver(ideogramImages, odd)).toMatchObject({
        images: [{ url: IMAGE.url }],
        created: null,
        size: null,
      });
    }
  });
});

test('a failed safety check is a client error, and an invalid key the channel’s', () => {
  const failure = failedOver(ideogramImages, 422, { error: 'Prompt provided failed safety check.' });
  expect(failure).toMatchObject({ side: 'client', status: 400, message: 'Prompt provided failed safety check.' });
  expect(failure.details.publicCode).toBe('content_policy_violation');
  expect(failedOver(ideogramImages, 401, '')).toMatchObject({ kind: 'upstream_auth' });
  expect(failedOver(ideogramImages, 400, { error: 'Invalid input' })).toMatchObject({ side: 'client' });
  expect(failedOver(ideogramImages, 429, '')).toMatchObject({ code: 'rate_limit_exceeded' });
  for (const value of WRONG_VALUES) expect(failedOver(ideogramImages, 422, value)).toMatchObject({ side: 'client' });
});
