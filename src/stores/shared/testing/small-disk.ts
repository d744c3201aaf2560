import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCodeOf } from '../error-code.ts';

/** The requirements of `SmallDisk`. */
export const SMALL_DISK_REQUIREMENT = 'Linux, and the right to mount a tmpfs';

const CHUNK = Buffer.alloc(4096, 'x');

/** A file system for a single test that can really fill up. */
export class SmallDisk {
  readonly folder: string;

  /** @throws if it cannot be mounted */
  constructor(bytes: number) {
    this.folder = mkdtempSync(join(tmpdir(), 'switchyard-disk-'));
    const options = ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.folder];
    if (Bun.spawnSync(['mount', ...options]).success) return;
    rmSync(this.folder, { recursive: true });
    throw new Error(`There is no ${SMALL_DISK_REQUIREMENT}.`);
  }

  static isPossible(): boolean {
    if (process.platform !== 'linux' || process.getuid?.() !== 0 || Bun.which('mount') === null) return false;
    try {
      new SmallDisk(65_536).remove();
      return true;
    } catch {
      return false;
    }
  }

  /** Fills the remaining space. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      while (writeSync(file, CHUNK) > 0);
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  remove(): void {
    // Lazy, so that it works while files are still open.
    Bun.spawnSync(['umount', '-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }
}
