import { expect, test } from 'bun:test';
import type { MediaPart } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { FetchedMedia } from '../../ports/media-fetcher.ts';
import { withBytes } from './media.ts';

type Fetching = (url: string, signal: AbortSignal | undefined) => Promise<FetchedMedia | Failure>;

/** Runs a request with these URLs and returns the result. */
async function run(urls: readonly string[], fetching: Fetching, maxUrls = 100) {
  const asked: { url: string; uses: number | undefined }[] = [];
  const parts = urls.map(
    (url, index): MediaPart => ({
      type: 'image',
      mediaType: null,
      source: { kind: 'url', url },
      path: `messages[0].content[${index}].image_url.url`,
    }),
  );
  const request: ExchangeRequest = { messages: [{ role: 'user', parts }] } as unknown as ExchangeRequest;
  const result = await withBytes({
    request,
    needsBytes: () => true,
    maxUrls,
    files: () => ({
      fetch: (url, options) => {
        asked.push({ url, uses: options?.uses });
        return fetching(url, options?.signal);
      },
      release: () => undefined,
    }),
    fetched: new Map(),
    signal: () => new AbortController().signal,
  });
  return { result, asked };
}

const paramOf = (result: unknown) => (result instanceof Failure ? result.details.param : undefined);

const PICTURE: FetchedMedia = { bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png' };

test('a URL is fetched once, however often it is used', async () => {
  const { result, asked } = await run(['https://a/', 'https://b/', 'https://a/'], async () => PICTURE);
  expect(asked).toEqual([
    { url: 'https://a/', uses: 2 },
    { url: 'https://b/', uses: 1 },
  ]);
  if (result instanceof Failure) throw result;
  const sources = result.messages[0]?.parts.map((part) => ('source' in part ? part.source : null));
  expect(sources).toEqual(Array(3).fill({ kind: 'base64', data: 'AQID' }));
});

test('too many URLs are refused before any fetch, naming the first one over the limit', async () => {
  const urls = ['https://a/', 'https://b/', 'https://a/', 'https://c/'];
  const { result, asked } = await run(urls, async () => PICTURE, 2);
  expect(result).toMatchObject({ code: 'invalid_value', status: 400, kind: 'media_too_many_urls' });
  expect(paramOf(result)).toBe('messages[0].content[3].image_url.url');
  expect(asked).toEqual([]);
  expect((await run(urls, async () => PICTURE, 3)).result).not.toBeInstanceOf(Failure);
});

test('a file that cannot be fetched cancels the other fetches', async () => {
  const ended: string[] = [];
  const { result } = await run(['https://slow/1', 'https://slow/2', 'https://broken/'], (url, signal) => {
    if (url === 'https://broken/') return Promise.resolve(new Failure('invalid_value', { message: 'broken' }));
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => {
        ended.push(url);
        resolve(new Failure('client_closed_request', { message: 'ended' }));
      });
    });
  });
  expect(result).toMatchObject({ message: 'broken' });
  expect(paramOf(result)).toBe('messages[0].content[2].image_url.url');
  expect(ended).toEqual(['https://slow/1', 'https://slow/2']);
});
