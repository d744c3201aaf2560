import { describe, expect, test } from 'bun:test';
import type { ImageRequest } from '../../domain/images/images.ts';
import { MemoryFile } from '../../domain/media/memory-file.ts';
import { type ImageLimits, PNG_JPEG_WEBP, passedLimit } from './image-limits.ts';
import { PLAIN_IMAGE } from './testing/image-samples.ts';

const bytes = new Uint8Array(100);
const inline = { kind: 'inline', bytes, mediaType: 'image/png', pixels: { width: 80, height: 64 } } as const;
const LIMITS: ImageLimits = {
  longestPrompt: 20,
  longestNegativePrompt: 3,
  inputs: { formats: PNG_JPEG_WEBP, mostBytes: 100, leastSide: 64 },
};
const passed = (more: Partial<ImageRequest>, limits = LIMITS) => passedLimit({ ...PLAIN_IMAGE, ...more }, limits);

describe('a request', () => {
  test('passes at each limit, and without limits', () => {
    expect(passed({ prompt: 'x'.repeat(20), negativePrompt: 'fog', images: [inline] })).toBeNull();
    expect(passed({ prompt: 'x'.repeat(32_000), images: [{ ...inline, mediaType: 'image/gif' }] }, {})).toBeNull();
  });

  test('with a text over the limit is refused by name', () => {
    expect(passed({ prompt: 'x'.repeat(21) })).toMatchObject({ field: 'prompt', why: expect.stringContaining('21') });
    expect(passed({ negativePrompt: 'fogs' })).toMatchObject({ field: 'negative_prompt' });
  });

  test.each([
    ['its type', { mediaType: 'image/gif' }, '`image/gif`'],
    ['its bytes', { bytes: new Uint8Array(101) }, '101 bytes'],
    ['its pixels', { pixels: { width: 80, height: 63 } }, '80 x 63'],
  ])('with an image over the limit of %s is refused by name, with the reason', (_, more, why) => {
    const images = [inline, { ...inline, ...more }];
    expect(passed({ images, body: { image_urls: [] } })).toEqual({
      field: 'image_urls[1]',
      why: expect.stringContaining(why),
    });
  });

  test('names the image as the client of each endpoint does', () => {
    const images = [{ ...inline, mediaType: 'image/gif' }];
    expect(passed({ images, body: { image_url: 'x' } })?.field).toBe('image_url');
    expect(passed({ images, endpoint: 'edits' })?.field).toBe('image');
    expect(passed({ images: [...images, inline], endpoint: 'edits' })?.field).toBe('image[0]');
  });

  test('with an image that is not square is refused if only squares are accepted', () => {
    const file = { kind: 'file', file: new MemoryFile(bytes), mediaType: 'image/png' } as const;
    const inputs = { isSquare: true };
    expect(passed({ images: [inline] }, { inputs })?.why).toContain('square');
    expect(passed({ images: [{ ...file, pixels: { width: 64, height: 64 } }] }, { inputs })).toBeNull();
    // The image's size has not been measured.
    expect(passed({ images: [file] }, { inputs })).toBeNull();
  });

  test('with an image behind a URL is not checked', () => {
    expect(passed({ images: [{ kind: 'url', url: 'https://a.example/a.gif' }] })).toBeNull();
  });
});
