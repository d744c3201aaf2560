import { randomBytes } from 'node:crypto';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { AtOnce } from '../../domain/concurrency/at-once.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { MediaRefusal } from '../../engine/ports/media-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { isBucket, isOwner, type MediaId, newMediaId, parseMediaId, sizeInName } from './media-id.ts';
import { FoundMedia } from './media-room.ts';
import type { MediaSource } from './media-source.ts';
import type { Label, Shelf, ShelvedFile } from './shelf.ts';

export interface FolderShelfOptions {
  readonly folder: string;
  /** The disk space to leave free, since the database is often on the same disk. */
  readonly minFreeBytes: number;
  readonly clock: Clock;
}

/** The folder of unfinished files. It is on the same file system, so that a finished file can be renamed atomically. */
const UNFINISHED = 'unfinished';
/** The file with the name that identifies this folder among those of other nodes. */
const PLACE = 'place';
/** No writer waits this long for the next chunk, so an older file belongs to a process that has exited. */
const ABANDONED_MS = 3_600_000;
/** Limits file descriptors. Streams are not limited: they may last for minutes, and each already has a connection. */
const MOST_AT_ONCE = 32;
/** How much may be written before the free space is read again. */
const ASKED_EVERY_BYTES = 16 * 1024 * 1024;
const ASKED_EVERY_MS = 1_000;
const NAMES_AT_ONCE = 1_000;
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

interface AskedSpace {
  readonly atMs: number;
  freeBytes: number;
  /** The bytes written since. */
  newBytes: number;
}

class DiskFull extends Error {
  readonly code = 'ENOSPC';
}

/**
 * Stores files as `<folder>/<bucket>/<owner>/<file>`. A bucket is removed as a whole when it expires, and the size is part of the file
 * name, so that scanning 100,000 files opens none of them. Several processes may share the folder. A file's content is synced before the
 * file gets its name, so no partial file is ever visible. Folders are not synced: after a power loss the files of the last seconds may be
 * missing, and their links are dead.
 */
export class FolderShelf implements Shelf {
  private readonly process = randomBytes(8).toString('hex');
  private readonly turns = new AtOnce(MOST_AT_ONCE);
  private count = 0;
  /** The free space, which is read occasionally; bytes written in between are subtracted. */
  private asked: Promise<AskedSpace> | null = null;

  constructor(private readonly options: FolderShelfOptions) {}

  write(label: Label, source: MediaSource, named: (id: string) => void): Promise<string> {
    const writing = () => this.writeNow(label, source, named);
    return source.isInMemory ? this.turns.run(writing) : writing();
  }

  async find(id: MediaId): Promise<ShelvedFile | null> {
    const path = this.pathOf(id);
    try {
      const { size } = await stat(path);
      if (size !== id.size) return null;
      // The server sends the file directly from disk, with its length. A file that is removed meanwhile is sent to its end.
      return { size, read: async (start, end) => Bun.file(path).slice(start, end) };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async look(skips: (id: string) => boolean): Promise<FoundMedia> {
    const { folder } = this.options;
    const found = new FoundMedia();
    found.elsewhere = await this.lookAtUnfinished();
    for (const bucket of (await namesIn(folder)).filter(isBucket)) {
      for (const owner of (await namesIn(join(folder, bucket))).filter(isOwner)) {
        for (const [index, file] of (await namesIn(join(folder, bucket, owner))).entries()) {
          // Yields to requests, since one folder may have very many files.
          if (index % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await Bun.sleep(0);
          const size = sizeInName(file);
          if (size !== null && !skips(`${bucket}${owner}-${file}`)) found.add(bucket, owner, size);
        }
      }
    }
    return found;
  }

  async remove(bucket: string): Promise<void> {
    await rm(join(this.options.folder, bucket), { recursive: true, force: true });
  }

  async removeFile(id: MediaId): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  async removeOwner(owner: string): Promise<void> {
    const { folder } = this.options;
    for (const bucket of (await namesIn(folder)).filter(isBucket))
      await rm(join(folder, bucket, owner), { recursive: true, force: true });
  }

  /** Resolves to a random name stored in the folder, since two machines may use equal paths, and a shared folder may have two paths. */
  async place(): Promise<string> {
    const path = join(this.options.folder, PLACE);
    const written = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    if (written !== null) return written;
    const draft = join(this.options.folder, UNFINISHED, `${this.process}-place`);
    const file = await openNew(draft);
    await file.writeFile(`folder-${randomBytes(12).toString('hex')}`).finally(() => file.close());
    // The first of several processes wins. Its file appears atomically.
    await link(draft, path).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    });
    await unlink(draft);
    return readFile(path, 'utf8');
  }

  refusalOf(error: unknown): MediaRefusal {
    return NO_ROOM.has(errorCodeOf(error) ?? '') ? 'media_store_full' : 'media_store_away';
  }

  private async writeNow(label: Label, source: MediaSource, named: (id: string) => void): Promise<string> {
    this.count += 1;
    const path = join(this.options.folder, UNFINISHED, `${this.process}-${this.count}`);
    const file = await openNew(path);
    try {
      const size = await this.fill(file, source).finally(() => file.close());
      const id = newMediaId(label, size);
      named(id);
      await this.publish(path, id);
      return id;
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    }
  }

  private async fill(file: FileHandle, source: MediaSource): Promise<number> {
    let size = 0;
    for await (const piece of source.pieces()) {
      await this.expectSpace(piece.length);
      for (let at = 0; at < piece.length; ) {
        const { bytesWritten } = await file.write(piece, at, piece.length - at, size + at);
        if (bytesWritten === 0) throw new DiskFull('the disk accepts no more data');
        at += bytesWritten;
      }
      size += piece.length;
    }
    await file.datasync();
    return size;
  }

  private async publish(path: string, id: string): Promise<void> {
    const known = parseMediaId(id);
    if (known === null) throw new Error('the media id is invalid');
    const final = this.pathOf(known);
    try {
      await rename(path, final);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await mkdir(join(final, '..'), { recursive: true, mode: 0o700 });
      await rename(path, final);
    }
  }

  private pathOf({ bucket, owner, file }: MediaId): string {
    return join(this.options.folder, bucket, owner, file);
  }

  private async expectSpace(bytes: number): Promise<void> {
    const { clock, minFreeBytes } = this.options;
    this.asked ??= this.askForSpace();
    const asked = await this.asked;
    asked.freeBytes -= bytes;
    asked.newBytes += bytes;
    const isFull = asked.freeBytes < minFreeBytes;
    const isOld = clock.monotonicMs() - asked.atMs > ASKED_EVERY_MS || asked.newBytes > ASKED_EVERY_BYTES;
    if (isFull || isOld) this.asked = null;
    if (isFull) throw new DiskFull('not enough free disk space');
  }

  private async askForSpace(): Promise<AskedSpace> {
    try {
      const { bavail, bsize } = await statfs(this.options.folder);
      return { atMs: this.options.clock.monotonicMs(), freeBytes: bavail * bsize, newBytes: 0 };
    } catch (error) {
      this.asked = null;
      throw error;
    }
  }

  /** Returns the size of files that other processes are writing, and removes those of processes that have exited. */
  private async lookAtUnfinished(): Promise<number> {
    const folder = join(this.options.folder, UNFINISHED);
    let bytes = 0;
    for (const name of await namesIn(folder)) {
      if (name.startsWith(this.process)) continue;
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found === null) continue;
      if (this.options.clock.nowMs() - found.mtimeMs > ABANDONED_MS) await unlink(path).catch(() => undefined);
      else bytes += found.size;
    }
    return bytes;
  }
}

/** Creates a file readable only by its owner, and its folder if missing. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    return open(path, 'wx', 0o600);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // Another process may just have removed it.
    if (isAbsent(error) || errorCodeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return errorCodeOf(error) === 'ENOENT';
}
