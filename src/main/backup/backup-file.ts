import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Destination } from './archive-writer.ts';
import { BackupError } from './manifest.ts';

/** A partial file that nobody has written to for this long belongs to a process that has exited. */
const ABANDONED_MS = 3_600_000;
const SUFFIX = '.partial';
/** Bounds what is written to the disk at once, since the writes of a gateway wait behind it. */
const SYNC_EVERY_BYTES = 32 * 1024 * 1024;

/** Unfinished files beside a backup: they are on its file system, hidden, and readable only by their owner. */
export class PartialFiles {
  readonly #prefix: string;
  readonly #folder: string;
  readonly #made: string[] = [];

  /** @param path the backup file, or the file of the data folder beside which to work */
  constructor(path: string) {
    this.#folder = dirname(resolve(path));
    this.#prefix = `.${basename(path)}.`;
  }

  /** Returns a new name, which `remove` removes. */
  next(kind: string): string {
    const path = join(this.#folder, `${this.#prefix}${randomBytes(6).toString('hex')}.${kind}${SUFFIX}`);
    this.#made.push(path);
    return path;
  }

  /** Removes the files that killed processes have left behind. */
  async removeAbandoned(nowMs: number): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((found) => found.startsWith(this.#prefix) && found.endsWith(SUFFIX))) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found !== null && nowMs - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }

  async remove(): Promise<void> {
    for (const path of this.#made) await rm(path, { force: true });
  }
}

/** A file that gets its name only when it is complete and on the disk. */
export class AtomicFile implements Destination {
  #at = 0;
  #syncedTo = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly partial: string,
    private readonly path: string,
  ) {}

  static async create(partial: string, path: string): Promise<AtomicFile> {
    const found = await stat(path).catch(() => null);
    if (found !== null && !found.isFile()) throw new BackupError(`${path} is not a file; name a file for the backup`);
    return new AtomicFile(await open(partial, 'wx', 0o600), partial, path);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await writeAll(this.file, bytes, this.#at);
    this.#at += bytes.length;
    if (this.#at - this.#syncedTo < SYNC_EVERY_BYTES) return;
    await this.file.datasync();
    this.#syncedTo = this.#at;
  }

  async publish(): Promise<void> {
    await this.file.sync();
    await rename(this.partial, this.path);
    await syncFolder(dirname(this.path));
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    if (bytesWritten === 0) throw Object.assign(new Error('the disk accepts no more data'), { code: 'ENOSPC' });
    at += bytesWritten;
  }
}

/** Makes renames in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
