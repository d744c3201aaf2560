import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testNeeding } from '../../../tools/test/needs.ts';
import { FakeClock } from '../../engine/admin/testing/fake-clock.ts';
import type { MediaContent } from '../../engine/ports/media-store.ts';
import { SMALL_DISK_REQUIREMENT, SmallDisk } from '../shared/testing/small-disk.ts';
import { FolderShelf } from './folder-shelf.ts';
import {
  bytesOf,
  contentOf,
  HOUR_MS,
  kindOf,
  mediaContract,
  mediaOver,
  ORIGIN,
  presented,
  stored,
  streamOf,
} from './testing/media-contract.ts';

const smallDiskTest = testNeeding(SMALL_DISK_REQUIREMENT, SmallDisk.isPossible());
const newFolder = () => mkdtemp(join(tmpdir(), 'switchyard-media-'));

async function filesIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

mediaContract('a folder', async () => {
  const parent = await newFolder();
  const folder = join(parent, 'media');
  return {
    shelf: (clock) => new FolderShelf({ folder, minFreeBytes: 0, clock }),
    count: async () => (await filesIn(folder)).length,
    close: () => rm(parent, { recursive: true, force: true }),
  };
});

describe('a folder of its own kind', () => {
  let folder: string;
  const clock = new FakeClock(Date.now());
  const shelf = (minFreeBytes = 0) => new FolderShelf({ folder, minFreeBytes, clock });

  beforeEach(async () => {
    folder = await newFolder();
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('only its owner can read the files', async () => {
    const media = mediaOver(shelf(), clock);
    await stored(media);
    const [file = ''] = await filesIn(folder);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    await media.close();
  });

  test('a file that is shorter than its name says is not served', async () => {
    const media = mediaOver(shelf(), clock);
    const made = await stored(media);
    const [file = ''] = await filesIn(folder);
    await Bun.write(file, 'short');
    expect(await media.open(presented(media.link(made, ORIGIN)))).toBeNull();
    await media.close();
  });

  test('a folder that was removed meanwhile is made again', async () => {
    const media = mediaOver(shelf(), clock);
    await stored(media);
    await rm(folder, { recursive: true });
    await stored(media);
    expect(await filesIn(folder)).toHaveLength(1);
    await media.close();
  });

  test('what is not the store’s own is neither counted nor removed', async () => {
    await Bun.write(join(folder, 'notes.txt'), 'x');
    await Bun.write(join(folder, '200001010000', 'notes.txt'), 'x');
    await Bun.write(join(folder, '299901010000', 'abcdefghijkl', 'notes.txt'), 'x');
    const media = mediaOver(shelf(), clock);
    await media.tend();
    expect(media.figures()).toMatchObject({ bytes: 0, files: 0 });
    expect(await filesIn(folder)).toHaveLength(3);
    await media.close();
  });

  test('a process that was killed while it wrote leaves a file that counts, and goes after an hour', async () => {
    const writer = Bun.spawn([process.execPath, join(import.meta.dir, 'testing', 'endless-writer.ts'), folder], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const unfinished = async () => (await filesIn(join(folder, 'unfinished')))[0] ?? null;
    let left = await unfinished();
    for (; left === null || (await stat(left)).size < 100_000; left = await unfinished()) await Bun.sleep(20);
    writer.kill('SIGKILL');
    await writer.exited;
    const media = mediaOver(shelf(), clock);
    await media.tend();
    expect(media.figures().bytes).toBe((await stat(left)).size);
    const old = new Date(clock.nowMs() - HOUR_MS - 1_000);
    await utimes(left, old, old);
    await media.tend();
    expect(media.figures().bytes).toBe(0);
    expect(await filesIn(folder)).toEqual([]);
    await media.close();
  });

  test('what must be left of the disk is left', async () => {
    const media = mediaOver(shelf(2 ** 60), clock);
    expect(await kindOf(media.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe(
      'media_store_full',
    );
    const { content, state } = streamOf(2 ** 20);
    expect(await kindOf(media.put({ accountId: 'acme', content, mediaType: 'image/png' }))).toBe('media_store_full');
    expect(state.wasCancelled).toBe(true);
    expect(await filesIn(folder)).toEqual([]);
    expect(media.figures()).toEqual({ bytes: 0, files: 0, refused: new Map([['media_store_full', 2]]) });
    await media.close();
  });

  smallDiskTest('a disk that is really full refuses, keeps nothing, and takes files once there is room', async () => {
    const disk = new SmallDisk(4 * 1024 * 1024);
    try {
      const media = mediaOver(new FolderShelf({ folder: join(disk.folder, 'media'), minFreeBytes: 0, clock }), clock);
      const put = (content: MediaContent) => kindOf(media.put({ accountId: 'acme', content, mediaType: 'video/mp4' }));
      const made = await stored(media);
      const { content, state } = streamOf(8 * 1024 * 1024);
      expect(await put(content)).toBe('media_store_full');
      expect(state.wasCancelled).toBe(true);
      disk.fill();
      expect(await put(bytesOf(10_000))).toBe('media_store_full');
      expect(await contentOf(media, made)).toHaveLength(10);
      expect(await filesIn(join(disk.folder, 'media'))).toHaveLength(1);
      expect(media.figures()).toMatchObject({ bytes: 4_096, files: 1 });
      disk.free();
      clock.advance(2_000);
      expect(await put(bytesOf(10_000))).toBe('stored');
      await media.close();
    } finally {
      disk.remove();
    }
  });

  test('a place that cannot be a folder refuses, and takes files once it can', async () => {
    const place = join(folder, 'media');
    await Bun.write(place, 'a file');
    const media = mediaOver(new FolderShelf({ folder: place, minFreeBytes: 0, clock }), clock);
    const put = () => kindOf(media.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }));
    expect(await put()).toBe('media_store_away');
    await rm(place);
    expect(await put()).toBe('stored');
    await media.close();
  });
});
