import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { ImageInput } from '../../domain/images/images.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../formats/shared/testing/image-samples.ts';
import { FetchedImages, imageFrom } from './input-images.ts';

const at = (url: string): ImageInput => ({ kind: 'url', url });

function fetcher(maxUrls: number) {
  const asked: string[] = [];
  const files = () => ({
    fetch: async (url: string) => {
      asked.push(url);
      if (url.endsWith('gone')) return new Failure('invalid_value', { message: 'It answered with HTTP 404.' });
      return { bytes: new Uint8Array(Buffer.from(PIXEL_BASE64, 'base64')), mediaType: 'image/png' };
    },
    release: () => {},
  });
  const { signal } = new AbortController();
  return { asked, images: new FetchedImages(files, maxUrls, () => signal) };
}

const located = (...images: readonly ImageInput[]) =>
  images.map((image, index) => ({ image, path: `image_urls[${index}]` }));

describe('input images at URLs', () => {
  test('are fetched once, even for a second target', async () => {
    const { asked, images } = fetcher(10);
    const request = located(at('https://a.example/1'), INLINE_PIXEL, at('https://a.example/1'));
    for (let targets = 0; targets < 2; targets++) {
      const whole = await images.bytesOf(request, 'image_urls');
      if (whole instanceof Failure) throw new Error(whole.message);
      expect(whole.map(({ kind }) => kind)).toEqual(['inline', 'inline', 'inline']);
    }
    expect(asked).toEqual(['https://a.example/1']);
  });

  test('that cannot be fetched name their field, and are fetched again for the next target', async () => {
    const { asked, images } = fetcher(10);
    for (let targets = 0; targets < 2; targets++) {
      const failed = await images.bytesOf(located(INLINE_PIXEL, at('https://a.example/gone')), 'image_urls');
      expect(failed).toMatchObject({ details: { param: 'image_urls[1]' } });
    }
    expect(asked).toHaveLength(2);
  });

  test('are limited to the number that the operator allows', async () => {
    const { asked, images } = fetcher(1);
    const refused = await images.bytesOf(located(at('https://a.example/1'), at('https://a.example/2')), 'image_urls');
    expect(refused).toMatchObject({ code: 'invalid_value', details: { param: 'image_urls' } });
    expect(asked).toEqual([]);
  });
});

test.each([7, '', 'a.png', 'ftp://a.example/1', 'https://', 'data:image/png;base64,*', 'data:text/plain;base64,QQ=='])(
  '%p is not an image',
  (value) => {
    expect(imageFrom(value, 'image_url')).toMatchObject({ details: { param: 'image_url' } });
  },
);
