import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MadeImage } from '../../../domain/images/images.ts';
import { PIXEL_BASE64 } from '../../../formats/shared/testing/image-samples.ts';
import type { MediaStore, NewMedia } from '../../ports/media-store.ts';
import { mediaRefused } from '../../ports/media-store.ts';
import { givenImages, wantedBy } from './made-images.ts';

const inBytes: MadeImage = { base64: PIXEL_BASE64, mediaType: null, revisedPrompt: 'a red fox' };
const ADDRESS = 'https://cdn.example/a.png';
const atUrl: MadeImage = { url: ADDRESS, mediaType: null, revisedPrompt: null };

function portsWith({ refusal = null, fetches = [] }: { refusal?: Failure | null; fetches?: readonly boolean[] } = {}) {
  const stored: NewMedia[] = [];
  const store = {
    put: async (media: NewMedia) => {
      stored.push(media);
      return refusal ?? { id: 'm1', expiresAtMs: 1, size: 1, mediaType: media.mediaType };
    },
    link: ({ id }: { id: string }, origin: string) => `${origin}/media/${id}`,
  } as unknown as MediaStore;
  const left = [...fetches];
  let asked = 0;
  const files = () => ({
    fetch: async () => {
      asked++;
      return left.shift() === true
        ? { bytes: new Uint8Array(Buffer.from(PIXEL_BASE64, 'base64')), mediaType: 'image/png' }
        : new Failure('invalid_value', { kind: 'media_http_404', message: 'It answered with HTTP 404.' });
    },
    release: () => {},
  });
  const { signal } = new AbortController();
  const ports = { accountId: 'acme', origin: 'https://gate.example', store, files, signal: () => signal };
  return { ports, stored, asked: () => asked };
}

describe('an image in bytes', () => {
  test('is unchanged unless a URL is requested', async () => {
    const { ports, stored } = portsWith();
    for (const wanted of ['either', 'b64_json'] as const) {
      const given = await givenImages([inBytes], wanted, { fileFormat: null }, ports);
      expect(given).toEqual([{ b64_json: PIXEL_BASE64, revised_prompt: 'a red fox' }]);
    }
    expect(stored).toEqual([]);
  });

  test('becomes a link of the gateway with its own media type', async () => {
    const { ports, stored } = portsWith();
    const given = await givenImages([inBytes], 'url', { fileFormat: 'webp' }, ports);
    expect(given).toEqual([{ url: 'https://gate.example/media/m1', revised_prompt: 'a red fox' }]);
    expect(stored).toMatchObject([{ accountId: 'acme', mediaType: 'image/png' }]);
  });

  test('has both for an edit without a format, since the contract has a URL and SDKs read bytes', async () => {
    expect(wantedBy({ responseFormat: null, endpoint: 'edits' })).toBe('both');
    expect(wantedBy({ responseFormat: null, endpoint: 'generations' })).toBe('either');
    expect(wantedBy({ responseFormat: 'url', endpoint: 'edits' })).toBe('url');
    const [given] = await givenImages([inBytes], 'both', { fileFormat: null }, portsWith().ports);
    expect(given).toMatchObject({ url: 'https://gate.example/media/m1', b64_json: PIXEL_BASE64 });
  });

  test('is not lost if the media store is full', async () => {
    const { ports } = portsWith({ refusal: mediaRefused('media_store_full') });
    const given = await givenImages([inBytes], 'url', { fileFormat: null }, ports);
    expect(given).toEqual([{ b64_json: PIXEL_BASE64, revised_prompt: 'a red fox' }]);
  });
});

describe('an image at a URL', () => {
  test('is not fetched unless its bytes are requested', async () => {
    const { ports, asked } = portsWith();
    for (const wanted of ['either', 'both', 'url'] as const) {
      expect(await givenImages([atUrl], wanted, { fileFormat: null }, ports)).toEqual([{ url: ADDRESS }]);
    }
    expect(asked()).toBe(0);
  });

  test('is fetched, with a retry after a failure', async () => {
    const { ports, asked } = portsWith({ fetches: [false, true] });
    expect(await givenImages([atUrl], 'b64_json', { fileFormat: null }, ports)).toEqual([{ b64_json: PIXEL_BASE64 }]);
    expect(asked()).toBe(2);
  });

  test('that cannot be fetched is an upstream failure without a fallback', async () => {
    const { ports, asked } = portsWith();
    const [failure] = await givenImages([atUrl], 'b64_json', { fileFormat: null }, ports);
    expect(failure).toMatchObject({ code: 'upstream_error', side: 'upstream', retry: 'never' });
    expect(asked()).toBe(3);
  });
});

test.each(['text/html', 'application/json', 'application/xml'])('a %s page is not an image', async (mediaType) => {
  const { ports } = portsWith();
  const files = () => ({
    fetch: async () => ({ bytes: new Uint8Array(Buffer.from('<html>This link has expired.')), mediaType }),
    release: () => {},
  });
  const [given] = await givenImages([atUrl], 'b64_json', { fileFormat: null }, { ...ports, files });
  expect(given).toMatchObject({ code: 'upstream_error', kind: 'result_media_page', side: 'upstream' });
});
