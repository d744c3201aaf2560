import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { until } from '../../../domain/testing/until.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { MediaContent, NewMedia, OpenMedia, StoredMedia } from '../../../engine/ports/media-store.ts';
import type { Shelf } from '../shelf.ts';
import { ShelvedMedia, type ShelvedMediaOptions } from '../shelved-media.ts';

export const ORIGIN = 'https://ai.example.com';
const KIB = 1024;
const MIB = KIB * KIB;
export const HOUR_MS = 3_600_000;

/** A shelf under test, and access to its storage. */
export interface ShelfBed {
  /** Opens a shelf. A second one on the same storage represents another process. */
  shelf(clock: FakeClock): Shelf;
  /** Counts all stored files, finished or not. */
  count(): Promise<number>;
  close(): Promise<void>;
}

export function mediaOver(shelf: Shelf, clock: FakeClock, limits: Partial<ShelvedMediaOptions> = {}): ShelvedMedia {
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new ShelvedMedia({
    ...{ shelf, clock, logger, key: new Uint8Array(32).fill(7), linkMs: HOUR_MS, sweepMs: HOUR_MS },
    ...{ maxBytes: 100 * MIB, maxBytesPerAccount: 50 * MIB },
    ...limits,
  });
}

export function bytesOf(size: number, fill = 1): MediaContent {
  return { kind: 'bytes', bytes: new Uint8Array(size).fill(fill) };
}

/** Returns a stream of 64 KiB chunks; `breaksAt` ends it with an error. */
export function streamOf(size: number, { breaksAt = Number.POSITIVE_INFINITY, maxBytes = 1_000 * MIB } = {}) {
  const state = { sent: 0, wasCancelled: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        await Bun.sleep(0);
        if (state.sent >= breaksAt) return controller.error(new Error('the upstream has gone'));
        const piece = Math.min(64 * KIB, size - state.sent);
        if (piece === 0) return controller.close();
        state.sent += piece;
        controller.enqueue(new Uint8Array(piece).fill(2));
      },
      cancel() {
        state.wasCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, content: { kind: 'stream', stream, maxBytes } satisfies MediaContent };
}

export async function stored(media: ShelvedMedia, fields: Partial<NewMedia> = {}): Promise<StoredMedia> {
  const result = await media.put({ accountId: 'acme', content: bytesOf(10), mediaType: 'image/png', ...fields });
  if (result instanceof Failure) throw new Error(`${result.kind}: ${result.message}`);
  return result;
}

export async function kindOf(result: Promise<StoredMedia | Failure>): Promise<string> {
  const made = await result;
  return made instanceof Failure ? made.kind : 'stored';
}

export function presented(link: string) {
  const url = new URL(link);
  const id = url.pathname.split('/').at(-1) ?? '';
  return { id, expires: url.searchParams.get('expires'), signature: url.searchParams.get('signature') };
}

export async function opened(media: ShelvedMedia, link: string): Promise<OpenMedia> {
  const found = await media.open(presented(link));
  if (found === null || found instanceof Failure) throw new Error('the link leads nowhere');
  return found;
}

export async function contentOf(media: ShelvedMedia, { id, expiresAtMs }: StoredMedia): Promise<Uint8Array> {
  const found = await opened(media, media.link({ id, expiresAtMs }, ORIGIN));
  const body = await found.read(0, found.size);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** Tests for every media store; the bed provides the storage. */
export function mediaContract(name: string, makeBed: () => Promise<ShelfBed>): void {
  describe(name, () => {
    let bed: ShelfBed;
    let clock: FakeClock;
    let media: ShelvedMedia;

    beforeEach(async () => {
      bed = await makeBed();
      clock = new FakeClock();
      media = mediaOver(bed.shelf(clock), clock);
    });

    afterEach(async () => {
      await media.close();
      await bed.close();
    });

    /** A multipart upload is aborted after the failure is reported. */
    const nothingLeft = async () => {
      await until('nothing is left', async () => (await bed.count()) === 0);
    };

    const again = (limits: Partial<ShelvedMediaOptions>) => {
      void media.close();
      media = mediaOver(bed.shelf(clock), clock, limits);
      return media;
    };

    test('removes all files of an account, which frees their space', async () => {
      const own = [await stored(media), await stored(media, { expiresAtMs: clock.nowMs() + 5 * HOUR_MS })];
      const other = await stored(media, { accountId: 'other' });
      await media.removeOf('acme');
      for (const { id, expiresAtMs } of own)
        expect(await media.open(presented(media.link({ id, expiresAtMs }, ORIGIN)))).toBeNull();
      expect((await contentOf(media, other)).length).toBe(10);
      expect(media.figures()).toMatchObject({ files: 1 });
    });

    test('returns bytes by link, whole and in ranges, with their type', async () => {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);
      const made = await stored(media, { content: { kind: 'bytes', bytes }, mediaType: 'image/PNG; x=y' });
      expect(made).toMatchObject({ size: 1_000, mediaType: 'image/png', expiresAtMs: clock.nowMs() + HOUR_MS });
      expect(await contentOf(media, made)).toEqual(bytes);
      const found = await opened(media, media.link(made, ORIGIN));
      expect(found).toMatchObject({ size: 1_000, mediaType: 'image/png', leftMs: HOUR_MS });
      expect(found.saveName).toMatch(/^image-[a-z2-7]{8}\.png$/);
      const part = await new Response(await found.read(3, 9)).arrayBuffer();
      expect(new Uint8Array(part)).toEqual(bytes.slice(3, 9));
    });

    test('returns a stream that was longer than one part of an upload', async () => {
      const { content } = streamOf(20 * MIB + 5);
      const made = await stored(media, { content, mediaType: 'video/mp4' });
      expect(made.size).toBe(20 * MIB + 5);
      const bytes = await contentOf(media, made);
      expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([20 * MIB + 5, 2, 2]);
    });

    test.each([100 * KIB, 20 * MIB])(
      'cuts off a stream above its limit of %d bytes, and stores nothing',
      async (maxBytes) => {
        const { content, state } = streamOf(2 * maxBytes, { maxBytes });
        const { accountId, mediaType } = { accountId: 'acme', mediaType: 'video/mp4' };
        expect(await kindOf(media.put({ accountId, content, mediaType }))).toBe('media_too_large');
        expect(state.wasCancelled).toBe(true);
        expect(state.sent).toBeLessThan(maxBytes + 2 * MIB);
        await nothingLeft();
        expect(media.figures()).toMatchObject({ bytes: 0, files: 0 });
      },
    );

    test('stores a stream of exactly its limit', async () => {
      const { content } = streamOf(100 * KIB, { maxBytes: 100 * KIB });
      expect((await stored(media, { content })).size).toBe(100 * KIB);
    });

    test.each([0, 100 * KIB, 20 * MIB])(
      'stores nothing of a stream that breaks off after %d bytes',
      async (breaksAt) => {
        const { content } = streamOf(40 * MIB, { breaksAt });
        expect(await kindOf(media.put({ accountId: 'acme', content, mediaType: 'video/mp4' }))).toBe(
          'media_broken_off',
        );
        await nothingLeft();
        expect(media.figures()).toMatchObject({ bytes: 0, files: 0 });
      },
    );

    test.each(['bytes', 'stream'])('refuses an empty file of %s', async (kind) => {
      const content = kind === 'bytes' ? bytesOf(0) : streamOf(0).content;
      expect(await kindOf(media.put({ accountId: 'acme', content, mediaType: 'image/png' }))).toBe('media_empty');
      expect(await bed.count()).toBe(0);
    });

    test('limits one account, and leaves room for the others', async () => {
      again({ maxBytes: 1 * MIB, maxBytesPerAccount: 256 * KIB });
      const put = (accountId: string, size: number) =>
        kindOf(media.put({ accountId, content: bytesOf(size), mediaType: 'image/png' }));
      expect(await put('greedy', 200 * KIB)).toBe('stored');
      expect(await put('greedy', 100 * KIB)).toBe('media_account_full');
      expect(await put('modest', 100 * KIB)).toBe('stored');
      const long = media.put({ accountId: 'greedy', content: streamOf(9 * MIB).content, mediaType: 'video/mp4' });
      expect(await kindOf(long)).toBe('media_account_full');
      expect(await bed.count()).toBe(2);
      expect(media.figures()).toEqual({
        bytes: 300 * KIB,
        files: 2,
        refused: new Map([['media_account_full', 2]]),
      });
    });

    test('limits all accounts together, and removes expired files first', async () => {
      again({ maxBytes: 256 * KIB, maxBytesPerAccount: 200 * KIB });
      const put = (accountId: string) =>
        kindOf(media.put({ accountId, content: bytesOf(120 * KIB), mediaType: 'image/png' }));
      expect(await put('one')).toBe('stored');
      expect(await put('two')).toBe('stored');
      expect(await put('three')).toBe('media_store_full');
      clock.advance(HOUR_MS + 20 * 60_000);
      expect(await put('three')).toBe('stored');
      expect(await bed.count()).toBe(1);
    });

    test('counts existing files after a restart, and removes those that expired meanwhile', async () => {
      await stored(media, { content: bytesOf(10 * KIB) });
      await stored(media, { content: bytesOf(5 * KIB), expiresAtMs: clock.nowMs() + 5 * HOUR_MS });
      again({ maxBytesPerAccount: 24 * KIB });
      await stored(media, { content: bytesOf(1) });
      expect(await kindOf(media.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe(
        'media_account_full',
      );
      clock.advance(2 * HOUR_MS);
      again({});
      await media.tend();
      expect(media.figures()).toMatchObject({ bytes: 8 * KIB, files: 1 });
      expect(await bed.count()).toBe(1);
    });

    test('a file exists until its link expires, and is removed soon after', async () => {
      const made = await stored(media);
      const link = presented(media.link(made, ORIGIN));
      clock.advance(HOUR_MS - 1_000);
      await media.tend();
      expect(await contentOf(media, made)).toHaveLength(10);
      clock.advance(1_000);
      expect(await media.open(link)).toBeNull();
      clock.advance(12 * 60_000);
      await media.tend();
      expect(await bed.count()).toBe(0);
    });

    test('links that were tampered with are not found', async () => {
      const one = await stored(media);
      const other = await stored(media);
      const { id, expires, signature } = presented(media.link(one, ORIGIN));
      if (expires === null || signature === null) throw new Error('the link has no signature');
      const foreign = presented(mediaOver(bed.shelf(clock), clock, { key: new Uint8Array(32) }).link(one, ORIGIN));
      for (const wrong of [
        { id: other.id, expires, signature },
        { id, expires: String(Number(expires) + 1), signature },
        { id, expires: `0${expires}`, signature },
        { id, expires: `${expires}.0`, signature },
        { id, expires: 'Infinity', signature },
        { id, expires: '', signature },
        { id, expires: null, signature },
        { id, expires, signature: null },
        { id, expires, signature: '' },
        { id, expires, signature: `${signature}=` },
        { id, expires, signature: signature.slice(1) },
        { id: `${id.slice(0, -3)}svg`, expires, signature },
        { id: `../${id}`, expires, signature },
        foreign,
        ...Array.from(signature, (character, at) => {
          const changed = signature.slice(0, at) + (character === 'A' ? 'B' : 'A') + signature.slice(at + 1);
          return { id, expires, signature: changed };
        }),
      ]) {
        expect([wrong, await media.open(wrong)]).toEqual([wrong, null]);
      }
    });

    test('a signed link to a missing file, or with an invalid name, is not found', async () => {
      const made = await stored(media);
      const { id } = made;
      const random = id.slice(-20, -14);
      for (const wrong of [id.replace(random, 'aaaaaa'), '../../etc/passwd', '', 'a', `${id}/x`, id.toUpperCase()]) {
        const expires = presented(media.link({ id: wrong, expiresAtMs: made.expiresAtMs }, ORIGIN));
        expect([wrong, await media.open({ ...expires, id: wrong })]).toEqual([wrong, null]);
      }
    });

    test('a link contains neither the account nor a folder, and has the extension of its type', async () => {
      const link = media.link(await stored(media, { accountId: 'acme-of-example', mediaType: 'audio/mpeg' }), ORIGIN);
      expect(link).toMatch(
        /^https:\/\/ai\.example\.com\/media\/[a-z0-9-]{40,70}\.mp3\?expires=\d{10}&signature=[\w-]{43}$/,
      );
    });

    test('1,000 concurrent files from accounts with room for half of theirs are counted exactly', async () => {
      again({ maxBytesPerAccount: 50 * 4 * KIB });
      const kinds = await Promise.all(
        Array.from({ length: 1_000 }, (_, index) =>
          kindOf(
            media.put({ accountId: `a${index % 10}`, content: bytesOf(1 + (index % 4_000)), mediaType: 'image/webp' }),
          ),
        ),
      );
      expect(kinds.filter((kind) => kind === 'stored')).toHaveLength(500);
      expect(kinds.filter((kind) => kind === 'media_account_full')).toHaveLength(500);
      expect(await bed.count()).toBe(500);
      expect(media.figures()).toMatchObject({ bytes: 500 * 4 * KIB, files: 500 });
    }, 600_000);

    test('scans while files arrive miscount nothing', async () => {
      const looking = (async () => {
        for (let turn = 0; turn < 30; turn++) await media.tend();
      })();
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          await Bun.sleep(index / 4);
          await stored(media, { content: index % 2 === 0 ? bytesOf(100) : streamOf(100).content });
        }),
      );
      await looking;
      expect(media.figures()).toMatchObject({ bytes: 200 * 4 * KIB, files: 200 });
      await media.tend();
      expect(media.figures()).toMatchObject({ bytes: 200 * 4 * KIB, files: 200 });
    });

    test("two processes on the same storage read, count and remove each other's files", async () => {
      const other = mediaOver(bed.shelf(clock), clock);
      const made = await stored(media, { content: bytesOf(5 * KIB) });
      expect(await contentOf(other, made)).toHaveLength(5 * KIB);
      await other.tend();
      expect(other.figures()).toMatchObject({ bytes: 8 * KIB, files: 1 });
      clock.advance(2 * HOUR_MS);
      await Promise.all([other.tend(), media.tend()]);
      expect(await bed.count()).toBe(0);
      await other.close();
    });
  });
}
