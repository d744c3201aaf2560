import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { pause, until } from '../../domain/testing/until.ts';
import { FakeClock } from '../../engine/admin/testing/fake-clock.ts';
import { S3Shelf } from './s3-shelf.ts';
import { errorOf, FakeS3, s3Place } from './testing/fake-s3.ts';
import {
  bytesOf,
  HOUR_MS,
  kindOf,
  mediaContract,
  mediaOver,
  ORIGIN,
  opened,
  presented,
  stored,
  streamOf,
} from './testing/media-contract.ts';

const MIB = 1024 * 1024;

mediaContract('an object storage (an imitation)', async () => {
  const s3 = new FakeS3();
  return {
    shelf: (clock) => new S3Shelf({ place: s3Place(s3), clock }),
    count: async () => s3.objects.size + s3.uploads.size,
    close: () => s3.close(),
  };
});

/** Resolves when the value no longer changes. */
async function untilStill(value: () => number): Promise<void> {
  let before: number | null = null;
  while (value() !== before) {
    before = value();
    for (let turns = 0; turns < 20; turns++) await pause();
  }
}

describe('an S3 shelf', () => {
  let s3: FakeS3;
  const clock = new FakeClock(Date.now());
  const media = (links: 'gateway' | 'presigned' = 'gateway') =>
    mediaOver(new S3Shelf({ place: s3Place(s3, links), clock }), clock);

  beforeEach(() => {
    s3 = new FakeS3();
  });

  afterEach(() => s3.close());

  test('objects lie below the prefix with their type, and are downloads where a browser must not show them', async () => {
    await stored(media(), { mediaType: 'image/svg+xml' });
    const [[key, object] = ['', null]] = s3.objects;
    expect(key).toMatch(/^switchyard\/\d{12}\/[a-z2-7]{12}\/[a-z2-7]{26}\.svg$/);
    expect(object).toMatchObject({ type: 'image/svg+xml' });
    expect(object?.disposition).toMatch(/^attachment; filename="image-[a-z2-7]{8}\.svg"$/);
  });

  test('a long file has its type and name too', async () => {
    await stored(media(), { content: streamOf(20 * MIB).content, mediaType: 'video/mp4' });
    const [object] = s3.objects.values();
    expect(object?.type).toBe('video/mp4');
    expect(object?.disposition).toMatch(/^inline; filename="video-/);
  });

  test('a presigned link leads to the storage itself until it expires', async () => {
    const store = media('presigned');
    const link = store.link(await stored(store), ORIGIN);
    expect(link).toStartWith(`${s3.endpoint}/acme-media/switchyard/`);
    const answer = await fetch(link);
    expect([answer.status, answer.headers.get('content-type'), (await answer.bytes()).length]).toEqual([
      200,
      'image/png',
      10,
    ]);
    expect((await fetch(link.replace('.png', '.svg'))).status).toBe(403);
    expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('3600');
    const long = await stored(store, { expiresAtMs: clock.nowMs() + 30 * 24 * HOUR_MS });
    expect(new URL(store.link(long, ORIGIN)).searchParams.get('X-Amz-Expires')).toBe('604800');
  });

  test.each([10, 20 * MIB])('a failing storage is unavailable for %d bytes, and keeps no part', async (size) => {
    s3.failing = ({ method }) => (method === 'PUT' ? errorOf(503, 'SlowDown') : null);
    const { content, state } = streamOf(size);
    const put = (from: typeof content | ReturnType<typeof bytesOf>) =>
      kindOf(media().put({ accountId: 'acme', content: from, mediaType: 'video/mp4' }));
    expect(await put(content)).toBe('media_store_away');
    // A chunk in flight arrives first.
    const isLeft = () => state.sent < size && !state.wasCancelled;
    await until('it is given up', () => !isLeft());
    expect(await put(bytesOf(size))).toBe('media_store_away');
    await until('no upload is left', () => s3.uploads.size === 0);
    expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
  });

  test('an exhausted quota is a full store', async () => {
    s3.failing = ({ method }) => (method === 'PUT' ? errorOf(507, 'XMinioStorageFull') : null);
    expect(await kindOf(media().put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe(
      'media_store_full',
    );
  });

  test('refused keys and a missing storage are unavailable, also for links', async () => {
    const store = media();
    const link = presented(store.link(await stored(store), ORIGIN));
    s3.failing = () => errorOf(403, 'AccessDenied');
    expect(await kindOf(store.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe(
      'media_store_away',
    );
    expect(await store.open(link)).toMatchObject({ code: 'storage_unavailable' });
    await s3.close();
    expect(await kindOf(store.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe(
      'media_store_away',
    );
  });

  test('a stream that is faster than the storage is slowed down and not buffered', async () => {
    let arrived = 0;
    let most = 0;
    const { content, state } = streamOf(45 * MIB);
    s3.failing = async (request) => {
      if (request.method !== 'PUT') return null;
      await untilStill(() => state.sent);
      most = Math.max(most, state.sent - arrived);
      arrived += Number(request.headers.get('content-length'));
      return null;
    };
    await stored(media(), { content, mediaType: 'video/mp4' });
    expect(most).toBeLessThan(30 * MIB);
  });

  test('foreign objects below the prefix are neither counted nor deleted', async () => {
    s3.objects.set('switchyard/notes.txt', { bytes: new Uint8Array(9), type: '', disposition: null });
    s3.objects.set('switchyard/200001010000/notes.txt', { bytes: new Uint8Array(9), type: '', disposition: null });
    const store = media();
    await store.tend();
    expect(store.figures()).toMatchObject({ bytes: 0, files: 0 });
    expect(s3.objects.size).toBe(2);
  });

  test('a range request reads only the range from the storage', async () => {
    const store = media();
    const found = await opened(store, store.link(await stored(store, { content: bytesOf(1_000, 5) }), ORIGIN));
    const part = await new Response(await found.read(10, 20)).arrayBuffer();
    expect(part.byteLength).toBe(10);
  });
});
