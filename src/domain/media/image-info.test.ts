import { describe, expect, test } from 'bun:test';
import { imageInfo } from './image-info.ts';

const FILES = {
  'red.png': 'image/png',
  'red.jpg': 'image/jpeg',
  'red.gif': 'image/gif',
  'red.webp': 'image/webp',
  'lossless.webp': 'image/webp',
  'alpha.webp': 'image/webp',
} as const;

const read = (name: string) => Bun.file(new URL(`testing/images/${name}`, import.meta.url)).bytes();

describe('an image of 36 × 22 pixels', () => {
  test.each(Object.entries(FILES))('%s', async (name, mediaType) => {
    expect(imageInfo(await read(name))).toEqual({ mediaType, width: 36, height: 22 });
  });

  test.each(Object.keys(FILES))('%s, cut at any length, has the same result or none', async (name) => {
    const bytes = await read(name);
    for (let length = 0; length < Math.min(bytes.length, 700); length++) {
      const info = imageInfo(bytes.subarray(0, length));
      if (info !== null) expect([info.width, info.height]).toEqual([36, 22]);
    }
  });

  test.each(Object.keys(FILES))('%s with any one byte changed does not throw', async (name) => {
    const bytes = await read(name);
    for (let at = 0; at < Math.min(bytes.length, 700); at++) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const info = imageInfo(changed);
      if (info !== null) expect(info.width > 0 && info.height > 0).toBe(true);
    }
  });

  test('is read from a JPEG after segments, fill bytes and markers without a length', async () => {
    const jpeg = await read('red.jpg');
    const before = [0xff, 0xe1, 0, 4, 9, 9, 0xff, 0x01, 0xff, 0xff, 0xff, 0xfe, 0, 2];
    const bytes = new Uint8Array([...jpeg.subarray(0, 2), ...before, ...jpeg.subarray(2)]);
    expect(imageInfo(bytes)).toMatchObject({ width: 36, height: 22 });
  });
});

test.each(['', 'GIF', 'BM', '%PDF-1.7', 'RIFF\0\0\0\0WAVEfmt ', '\x89PNG\r\n\x1a\n\0\0\0\rIDAT\0\0\0\x01\0\0\0\x01'])(
  '%p is not an image',
  (text) => expect(imageInfo(Buffer.from(text, 'latin1'))).toBeNull(),
);

test('an image with a zero dimension is not an image', async () => {
  const png = await read('red.png');
  png.fill(0, 16, 20);
  expect(imageInfo(png)).toBeNull();
});
