import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bundle, decodeBundle } from '../shared/bundle.ts';

const ENDING = '.bundle';
/** What another gateway may be writing, or have written just now, is left alone. */
const KEPT_MS = 3_600_000;

/** Bundles on disk, so that another start need not build. */
export class BundleFolder {
  constructor(private readonly path: string) {}

  /** `null` where there is none, or none that is whole. */
  async read(key: string): Promise<Bundle | null> {
    const file = Bun.file(join(this.path, key + ENDING));
    return (await file.exists()) ? decodeBundle(await file.bytes()) : null;
  }

  /** Rejects where the folder takes nothing. */
  async write(key: string, content: Uint8Array): Promise<void> {
    await mkdir(this.path, { recursive: true });
    const unfinished = join(this.path, `${crypto.randomUUID()}.tmp`);
    await Bun.write(unfinished, content);
    await rename(unfinished, join(this.path, key + ENDING));
    await this.sweep(key);
  }

  /** Bundles of other sources, and what a crash has left. */
  private async sweep(key: string): Promise<void> {
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name);
      const isOld = name !== key + ENDING && Date.now() - (await stat(path)).mtimeMs > KEPT_MS;
      if (isOld) await rm(path, { force: true });
    }
  }
}
