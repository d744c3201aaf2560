import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from './command-error.ts';

interface WholeFileOptions {
  /** Whether a file that exists is replaced. Otherwise it is an error. */
  readonly replaces: boolean;
  /** Whether only its owner may read it; otherwise the process's mask applies. */
  readonly isPrivate: boolean;
}

/**
 * A file that appears under its name only when it is complete and durable. Until then it is a draft beside it (`name.xxxx.partial`), which
 * only a killed process leaves behind. All methods throw `CommandError`.
 */
export class WholeFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  readonly #replaces: boolean;

  private constructor(path: string, draft: string, file: FileHandle, replaces: boolean) {
    this.#path = path;
    this.#draft = draft;
    this.#file = file;
    this.#replaces = replaces;
  }

  static async create(path: string, { replaces, isPrivate }: WholeFileOptions): Promise<WholeFile> {
    await refuseExisting(path, { replaces });
    const draft = `${path}.${randomBytes(6).toString('hex')}.partial`;
    try {
      return new WholeFile(path, draft, await open(draft, 'wx', isPrivate ? 0o600 : 0o666), replaces);
    } catch (error) {
      throw writeError(path, error);
    }
  }

  async write(content: string | Uint8Array): Promise<void> {
    try {
      await this.#file.appendFile(content);
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }

  /** Gives the file its name. */
  async finish(): Promise<void> {
    try {
      await this.#file.sync();
      await this.#file.close();
      if (this.#replaces) await rename(this.#draft, this.#path);
      else await this.#publish();
      await syncFolder(dirname(this.#path));
    } catch (error) {
      await this.discard();
      throw error instanceof CommandError ? error : writeError(this.#path, error);
    }
  }

  /** Removes the draft. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await unlink(this.#draft).catch(() => {});
  }

  /** Does not replace a file that another process has created meanwhile. */
  async #publish(): Promise<void> {
    try {
      await link(this.#draft, this.#path);
      await unlink(this.#draft);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw existsError(this.#path);
      // Some file systems do not support hard links.
      if ((await lstat(this.#path).catch(() => null)) !== null) throw existsError(this.#path);
      await rename(this.#draft, this.#path);
    }
  }
}

/** Writes a whole file at once. Throws `CommandError`. */
export async function writeWholeFile(path: string, text: string, options: WholeFileOptions): Promise<void> {
  const file = await WholeFile.create(path, options);
  try {
    await file.write(text);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.finish();
}

/** Throws `CommandError` if a file could not be written because its name is taken. */
export async function refuseExisting(path: string, { replaces }: Pick<WholeFileOptions, 'replaces'>): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory()) throw new CommandError(`${path}: is a directory. Name a file in it`);
  if (found !== null && !replaces) throw existsError(path);
}

/** Makes the name of a new file durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function existsError(path: string): CommandError {
  return new CommandError(`${path}: exists already. Choose another name, or add --force to replace it`);
}

function writeError(path: string, error: unknown): CommandError {
  const code = codeOf(error);
  const remedies: Readonly<Record<string, string>> = {
    ENOENT: 'create its folder first',
    ENOSPC: 'the disk is full: free some space, or choose another place',
    EACCES: 'let this user write into the folder, or choose another place',
    EROFS: 'choose a place that is not read-only',
  };
  return new CommandError(`${path}: cannot be written (${code}): ${remedies[code] ?? 'choose another place'}`);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}
