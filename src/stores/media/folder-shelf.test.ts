import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../engine/admin/testing/fake-clock.ts';
import { FolderShelf } from './folder-shelf.ts';
import {
  bytesOf,
  kindOf,
  mediaContract,
  mediaOver,
  ORIGIN,
  presented,
  stored,
  streamOf,
} from './testing/media-contract.ts';

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

describe('a folder shelf', () => {
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

  test('a removed folder is created again', async () => {
    const media = mediaOver(shelf(), clock);
    await stored(media);
    await rm(folder, { recursive: true });
    await stored(media);
    expect(await filesIn(folder)).toHaveLength(1);
    await media.close();
  });

  test('foreign files are neither counted nor removed', async () => {
    await Bun.write(join(folder, 'notes.txt'), 'x');
    await Bun.write(join(folder, '200001010000', 'notes.txt'), 'x');
    await Bun.write(join(folder, '299901010000', 'abcdefghijkl', 'notes.txt'), 'x');
    const media = mediaOver(shelf(), clock);
    await media.tend();
    expect(media.figures()).toMatchObject({ bytes: 0, files: 0 });
    expect(await filesIn(folder)).toHaveLength(3);
    await media.close();
  });

  test('the configured free disk space is kept', async () => {
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

  test('a path that cannot be a folder refuses files until it can', async () => {
    const place = join(folder, 'media');
    await Bun.write(place, 'a file');
    const media = mediaOver(new FolderShelf({ folder: place, minFreeBytes: 0, clock }), clock);
    const put = () => kindOf(media.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }));
    expect(await put()).toBe('media_store_away');
    await rm(place);
    expect(await put()).toBe('stored');
    await media.close();
  });

  test('all processes derive the same name for a folder, and another name for another folder', async () => {
    const names = await Promise.all(Array.from({ length: 8 }, () => shelf().place()));
    expect(new Set(names).size).toBe(1);
    const other = new FolderShelf({ folder: join(folder, 'other'), minFreeBytes: 0, clock });
    expect(await other.place()).not.toBe(names[0] ?? '');
  });

  test('nothing is stored while other nodes store their files elsewhere', async () => {
    const media = mediaOver(shelf(), clock);
    media.setSplitFrom(['elsewhere']);
    const { content, state } = streamOf(1_000);
    expect(await kindOf(media.put({ accountId: 'acme', content, mediaType: 'image/png' }))).toBe('media_store_split');
    expect([state.wasCancelled, await filesIn(folder)]).toEqual([true, []]);
    media.setSplitFrom([]);
    expect(await kindOf(media.put({ accountId: 'acme', content: bytesOf(1), mediaType: 'image/png' }))).toBe('stored');
    await media.close();
  });
});
