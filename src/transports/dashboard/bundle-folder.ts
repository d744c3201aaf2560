import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bundle, decodeBundle } from '../shared/bundle.ts';

const ENDING = '.bundle';
/** Keeps recent files: another gateway may be writing them, or may just have written them. */
const KEPT_MS = 3_600_000;

/** Stores bundles on disk, so that a later start need not build. */
export class BundleFolder {
  constructor(private readonly path: string) {}

  /** Resolves to `null` if there is no bundle or it is incomplete. */
  async read(key: string): Promise<Bundle | null> {
    const file = Bun.file(join(this.path, key + ENDING));
    return (await file.exists()) ? decodeBundle(await file.bytes()) : null;
  }

  /** Rejects if the folder cannot be written to. */
  async write(key: string, content: Uint8Array): Promise<void> {
    await mkdir(this.path, { recursive: true });
    const unfinished = join(this.path, `${crypto.randomUUID()}.tmp`);
    await Bun.write(unfinished, content);
    await rename(unfinished, join(this.path, key + ENDING));
    await this.sweep(key);
  }

  /** Removes bundles of other sources, and files left behind by a crash. */
  private async sweep(key: string): Promise<void> {
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name);
      const isOld = name !== key + ENDING && Date.now() - (await stat(path)).mtimeMs > KEPT_MS;
      if (isOld) await rm(path, { force: true });
    }
  }
}
