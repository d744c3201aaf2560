import { describe, expect, test } from 'bun:test';
import { LARGEST_LOGO_BYTES, readLogo } from './logo.ts';

const read = (name: string) => Bun.file(new URL(`../media/testing/images/${name}`, import.meta.url)).bytes();
const urlOf = (bytes: Uint8Array, type = 'png') => `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`;
const problemOf = (url: string) => {
  const result = readLogo(url);
  return result.ok ? null : result.problem;
};

describe('a logo', () => {
  test.each([
    ['red.png', 'png'],
    ['red.webp', 'webp'],
    ['lossless.webp', 'webp'],
    ['alpha.webp', 'webp'],
  ])('%s is taken with its size', async (name, type) => {
    const bytes = await read(name);
    expect(readLogo(urlOf(bytes, type))).toEqual({
      ok: true,
      logo: { mediaType: `image/${type}`, width: 36, height: 22, bytes: new Uint8Array(bytes) } as never,
    });
  });

  test('is never an SVG, another kind of image, or an address', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const url of [
      `data:image/svg+xml;base64,${btoa(svg)}`,
      `data:image/svg+xml,${svg}`,
      'https://example.com/logo.png',
      'javascript:alert(1)',
      '',
    ]) {
      expect(problemOf(url)).toContain('must be a PNG or WebP image');
    }
    expect(problemOf(`data:image/png;base64,${btoa(svg)}`)).toBe('is not a PNG or WebP image');
    expect(problemOf(urlOf(await read('red.gif')))).toBe('is not a PNG or WebP image');
    expect(problemOf('data:image/png;base64,!!!')).toBe('is not valid base64');
  });

  test('has the type that it states', async () => {
    expect(problemOf(urlOf(await read('red.webp'), 'png'))).toBe('says image/png but is image/webp');
  });

  test.each([
    ['red.png', 'png'],
    ['red.webp', 'webp'],
  ])('%s ends with its file, so that it cannot be a document as well', async (name, type) => {
    const bytes = await read(name);
    const more = new Uint8Array([...bytes, ...new TextEncoder().encode('<script>alert(1)</script>')]);
    expect(problemOf(urlOf(more, type))).toContain('is damaged');
    expect(problemOf(urlOf(bytes.slice(0, -4), type))).toContain('is damaged');
  });

  test('is limited in bytes and pixels', async () => {
    const large = new Uint8Array(LARGEST_LOGO_BYTES + 1);
    expect(problemOf(urlOf(large))).toBe('must be at most 64 KB');
    const wide = (await read('red.png')).slice();
    new DataView(wide.buffer).setUint32(16, 5_000);
    expect(problemOf(urlOf(wide))).toBe('must be at most 1024 × 1024 pixels; it has 5000 × 22');
  });

  test('does not move', async () => {
    const png = await read('red.png');
    // A chunk `acTL` after the header makes a PNG animated.
    const control = new Uint8Array([0, 0, 0, 0, 0x61, 0x63, 0x54, 0x4c, 0, 0, 0, 0]);
    const moving = new Uint8Array([...png.slice(0, 33), ...control, ...png.slice(33)]);
    expect(problemOf(urlOf(moving))).toBe('must not be animated');
    const webp = (await read('alpha.webp')).slice();
    webp[20] = (webp[20] ?? 0) | 0x02;
    expect(problemOf(urlOf(webp, 'webp'))).toBe('must not be animated');
  });

  test('with any one byte changed is read or refused without an exception', async () => {
    for (const [name, type] of [
      ['red.png', 'png'],
      ['alpha.webp', 'webp'],
    ] as const) {
      const bytes = await read(name);
      for (let at = 0; at < bytes.length; at++) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ 0xff;
        expect(typeof readLogo(urlOf(changed, type)).ok).toBe('boolean');
      }
    }
  });
});
