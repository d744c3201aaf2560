import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, statfs, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MemoryFigures } from '../../../engine/ports/figures.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import { isRunning } from '../../shared/is-running.ts';

/** The share of the space that one account may hold. */
const SHARE = 0.5;
/** Left free on the disk, which the database may share. */
const RESERVE_BYTES = 256 * 1024 * 1024;
const RETRY_AFTER_MS = 10_000;
const BEAT_EVERY_MS = 60_000;
/** A folder untouched for this long belongs to a dead process, on whichever machine it ran. */
const ABANDONED_AFTER_MS = 10 * BEAT_EVERY_MS;
/** `<place>-<process id>-<random>`. */
const FOLDER_NAME = /^([\da-f]{16})-(\d+)-[\da-f]{16}$/;

export interface UploadFolderOptions {
  /** Several processes may share this folder: each creates a subfolder. */
  readonly path: string;
  /** The limit for the files of all requests in flight; one account gets half of it. */
  readonly totalBytes: number;
  readonly logger: Logger;
}

/** Holds large files of forms while their requests run. */
export class UploadFolder {
  private held = 0;
  private refusals = 0;
  private readonly heldBy = new Map<string, number>();
  /** This process's subfolder, created for the first file. */
  private own: Promise<string> | null = null;
  private ownPath: string | null = null;
  private readonly beat: ReturnType<typeof setInterval>;

  constructor(private readonly options: UploadFolderOptions) {
    this.beat = setInterval(() => this.sweepAndTouch(), BEAT_EVERY_MS).unref();
  }

  get heldBytes(): number {
    return this.held;
  }

  get figures(): MemoryFigures {
    return { heldBytes: this.held, limitBytes: this.options.totalBytes, refusals: this.refusals };
  }

  /** Reserves space for `bytes` of a file; returns the failure if there is not enough. */
  take(accountId: string, bytes: number): Failure | null {
    const own = (this.heldBy.get(accountId) ?? 0) + bytes;
    const isFull = this.held + bytes > this.options.totalBytes;
    if (own > this.options.totalBytes * SHARE || isFull) this.refusals++;
    if (own > this.options.totalBytes * SHARE) return accountHasNoRoom();
    if (isFull) return noRoom('upload_space');
    this.held += bytes;
    this.heldBy.set(accountId, own);
    return null;
  }

  giveBack(accountId: string, bytes: number): void {
    this.held -= bytes;
    const left = (this.heldBy.get(accountId) ?? 0) - bytes;
    if (left > 0) this.heldBy.set(accountId, left);
    else this.heldBy.delete(accountId);
  }

  /** Creates a file of up to `bytes` that only this process's user may read, and opens it for writing. */
  async create(bytes: number): Promise<{ readonly path: string; readonly handle: FileHandle } | Failure> {
    try {
      const folder = await this.ownFolder();
      const disk = await statfs(folder);
      if (disk.bavail * disk.bsize < bytes + RESERVE_BYTES) return this.full('too little free disk space');
      const path = join(folder, randomBytes(16).toString('hex'));
      return { path, handle: await open(path, 'wx', 0o600) };
    } catch (error) {
      // The folder was removed from outside: the next file creates it again.
      if (codeOf(error) === 'ENOENT') this.own = null;
      return this.full(codeOf(error));
    }
  }

  /** Logs and returns the failure for a file that cannot be written. */
  full(reason: string): Failure {
    this.options.logger.error({ path: this.options.path, reason }, 'could not write an uploaded file');
    return noRoom('upload_disk');
  }

  async remove(path: string): Promise<void> {
    try {
      await unlink(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      this.options.logger.error({ path, reason: codeOf(error) }, 'could not remove an uploaded file');
    }
  }

  /** Removes what dead processes have left behind. */
  async sweep(nowMs = Date.now()): Promise<void> {
    const names = await readdir(this.options.path).catch(() => []);
    for (const name of names) {
      const path = join(this.options.path, name);
      if (path === this.ownPath || !(await isAbandoned(path, name, nowMs))) continue;
      await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
        this.options.logger.error(
          { path, reason: codeOf(error) },
          'could not remove the uploads of an earlier process',
        );
      });
    }
  }

  /** Removes all files, including those in use. */
  close(): void {
    clearInterval(this.beat);
    if (this.ownPath === null) return;
    try {
      rmSync(this.ownPath, { recursive: true, force: true });
    } catch (error) {
      this.options.logger.error({ path: this.ownPath, reason: codeOf(error) }, 'could not remove uploaded files');
    }
  }

  private ownFolder(): Promise<string> {
    this.own ??= this.makeOwn().catch((error: unknown) => {
      this.own = null;
      throw error;
    });
    return this.own;
  }

  private async makeOwn(): Promise<string> {
    const path = join(this.options.path, `${PLACE}-${process.pid}-${randomBytes(8).toString('hex')}`);
    this.ownPath = path;
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** Updates the folder's modification time, which tells other processes that this one is alive. */
  private async sweepAndTouch(): Promise<void> {
    const now = new Date();
    if (this.ownPath !== null) await utimes(this.ownPath, now, now).catch(() => undefined);
    await this.sweep();
  }
}

/**
 * Identifies where process ids are comparable: this machine since its last boot, and this container. A process of another container or
 * machine that shares the folder may be alive although its id is unknown here.
 */
const PLACE = createHash('sha256')
  .update(
    [
      hostname(),
      textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      textOf(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  .digest('hex')
  .slice(0, 16);

async function isAbandoned(path: string, name: string, nowMs: number): Promise<boolean> {
  const [, place, pid] = FOLDER_NAME.exec(name) ?? [];
  if (place === undefined || pid === undefined) return false;
  // A folder with this process's id that is not its own belongs to an earlier process.
  if (place === PLACE && (Number(pid) === process.pid || !isRunning(Number(pid)))) return true;
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true && nowMs - found.mtimeMs > ABANDONED_AFTER_MS;
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}

function accountHasNoRoom(): Failure {
  return new Failure('rate_limit_exceeded', {
    message: "The files of the account's requests in flight use all of its upload space.",
    kind: 'account_upload_space',
    side: 'client',
    retry: 'never',
    retryAfterMs: RETRY_AFTER_MS,
    hint: 'Retry when other requests have finished.',
  });
}

function noRoom(kind: string): Failure {
  return new Failure('storage_unavailable', {
    message: 'The gateway has no disk space for the uploaded file.',
    kind,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
