import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Failure } from '../../domain/failure/failure.ts';
import { type MediaStore, mediaRefused, type PresentedLink } from '../../engine/ports/media-store.ts';
import { mediaRoute } from './media-route.ts';

const BYTES = Uint8Array.from({ length: 100 }, (_, index) => index);
const TYPES: Readonly<Record<string, string>> = {
  'a.png': 'image/png',
  'a.mp4': 'video/mp4',
  'a.glb': 'model/gltf-binary',
  'a.svg': 'image/svg+xml',
  'a.html': 'text/html',
  'a.pdf': 'application/pdf',
};

class Shown {
  readonly asked: PresentedLink[] = [];
  failure: Failure | null = null;

  async open(link: PresentedLink) {
    this.asked.push(link);
    if (this.failure !== null) return this.failure;
    const mediaType = TYPES[link.id];
    if (mediaType === undefined || link.signature !== 'right') return null;
    const read = async (start: number, end: number) => new Blob([BYTES.slice(start, end)]);
    return { id: link.id, mediaType, saveName: `file-${link.id}`, size: 100, leftMs: 61_999, read };
  }
}

const store = new Shown();
let server: ReturnType<typeof Bun.serve>;

beforeAll(() => {
  // The route uses no method of the store but `open`.
  const mediaStore = store as unknown as MediaStore;
  const routes = mediaRoute({ mediaStore, newRequestId: () => 'req_1' });
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: routes as never,
    fetch: () => new Response('elsewhere'),
  });
});

afterAll(() => server.stop(true));

const ask = (id: string, init: RequestInit = {}, query = '?expires=1&signature=right') =>
  fetch(`http://127.0.0.1:${server.port}/media/${id}${query}`, init);
const ranged = (range: string, more: Record<string, string> = {}) => ask('a.mp4', { headers: { range, ...more } });
const bytesOf = async (answer: Response) => [...new Uint8Array(await answer.arrayBuffer())];

test('a whole file is sent with the headers that a browser needs', async () => {
  const answer = await ask('a.png');
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '100',
    'content-disposition': 'inline; filename="file-a.png"',
    'cache-control': 'private, max-age=61',
    'accept-ranges': 'bytes',
    etag: '"a.png"',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'x-request-id': 'req_1',
  });
  expect(await bytesOf(answer)).toEqual([...BYTES]);
});

test('HEAD has the same headers without the body, and ignores ranges', async () => {
  const answer = await ask('a.mp4', { method: 'HEAD', headers: { range: 'bytes=3-5' } });
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '100']);
  expect(await bytesOf(answer)).toEqual([]);
});

test.each([
  ['bytes=3-5', 'bytes 3-5/100', [3, 4, 5]],
  ['bytes=98-', 'bytes 98-99/100', [98, 99]],
  ['bytes=-2', 'bytes 98-99/100', [98, 99]],
  ['bytes=99-500', 'bytes 99-99/100', [99]],
])('%s is a part of it', async (range, contentRange, bytes) => {
  const answer = await ranged(range);
  expect([answer.status, answer.headers.get('content-range')]).toEqual([206, contentRange]);
  expect(answer.headers.get('content-length')).toBe(String(bytes.length));
  expect(await bytesOf(answer)).toEqual(bytes);
});

test('a range beyond its end is refused with its size', async () => {
  const answer = await ranged('bytes=100-');
  expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */100']);
});

test('several ranges, and a range of another version, are answered with the whole file', async () => {
  expect((await ranged('bytes=0-1,4-5')).status).toBe(200);
  expect((await ranged('bytes=3-5', { 'if-range': '"other"' })).status).toBe(200);
  expect((await ranged('bytes=3-5', { 'if-range': '"a.mp4"' })).status).toBe(206);
});

test('a file that the browser has is not sent again', async () => {
  const answer = await ask('a.png', { headers: { 'if-none-match': '"x", "a.png"' } });
  expect([answer.status, answer.headers.get('etag')]).toEqual([304, '"a.png"']);
});

test.each([
  ['a.glb', 'model/gltf-binary', 'inline'],
  ['a.svg', 'image/svg+xml', 'attachment'],
  ['a.html', 'application/octet-stream', 'attachment'],
  ['a.pdf', 'application/octet-stream', 'attachment'],
])('%s is given as %s, %s', async (id, type, disposition) => {
  const { headers } = await ask(id);
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('content-disposition')).toBe(`${disposition}; filename="file-${id}"`);
});

describe('whatever is wrong, the answer is the same', () => {
  test.each([
    ['no.png', '?expires=1&signature=right'],
    ['a.png', '?expires=1&signature=wrong'],
    ['a.png', '?expires=1'],
    ['a.png', ''],
    ['%2e%2e%2fa.png', '?expires=1&signature=right'],
    ['a.png%00', '?expires=1&signature=right'],
  ])('%s%s', async (id, query) => {
    const answer = await ask(id, {}, query);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'object_not_found', type: 'invalid_request_error' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

test('the query reaches the store unchanged', async () => {
  await ask('a.png', {}, '?signature=a%2Bb&expires=12&expires=13');
  expect(store.asked.at(-1)).toEqual({ id: 'a.png', expires: '12', signature: 'a+b' });
});

test('other methods are not allowed', async () => {
  const answer = await ask('a.png', { method: 'DELETE' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('an unreachable store is reported', async () => {
  store.failure = mediaRefused('media_store_away');
  const answer = await ask('a.png');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
  store.failure = null;
});
