import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCodeOf } from '../../stores/shared/error-code.ts';
import { RESTORE_FOLDER, RESTORE_JOURNAL } from '../../stores/sqlite/unfinished-restore.ts';
import { syncFolder } from './backup-file.ts';

const journalSchema = z.object({
  /** The names that appear in the data folder, in this order. */
  names: z.array(z.string()),
  /** The folder in the data folder for what was there before; `null` if nothing was. */
  aside: z.string().nullable(),
});
type Journal = z.infer<typeof journalSchema>;

/**
 * Exchanges the content of a data folder. Everything stays within the folder, since it is often a mount point, which cannot be renamed. A
 * journal says what is being renamed, so that the next restore can undo an interrupted one.
 */
export class Exchange {
  constructor(private readonly dataDirectory: string) {}

  /** The folder for the new files, under their names in the data folder. */
  get staging(): string {
    return join(this.dataDirectory, RESTORE_FOLDER, 'new');
  }

  /** Undoes an interrupted exchange, and creates an empty folder for the next. */
  async begin(): Promise<void> {
    await this.recover();
    await mkdir(this.staging, { recursive: true, mode: 0o700 });
  }

  /** Removes the new files. */
  async abandon(): Promise<void> {
    await rm(join(this.dataDirectory, RESTORE_FOLDER), { recursive: true, force: true });
  }

  /**
   * Moves `old` into the folder `aside`, and the new files into the data folder, the last of `names` last. They must be on the disk.
   */
  async publish(names: readonly string[], old: readonly string[], aside: string): Promise<void> {
    const { dataDirectory, staging } = this;
    await syncFolder(staging);
    await this.#writeJournal({ names: [...names], aside: old.length === 0 ? null : aside });
    if (old.length > 0) await mkdir(join(dataDirectory, aside), { mode: 0o700 });
    for (const name of old) await rename(join(dataDirectory, name), join(dataDirectory, aside, name));
    if (old.length > 0) await syncFolder(join(dataDirectory, aside));
    for (const name of names) await rename(join(staging, name), join(dataDirectory, name));
    await syncFolder(dataDirectory);
    await this.abandon();
  }

  async recover(): Promise<void> {
    const { dataDirectory, staging } = this;
    const journal = await this.#readJournal();
    if (journal !== null) {
      const left = await namesIn(staging);
      const isDone = !journal.names.some((name) => left.includes(name));
      if (!isDone) {
        const published = journal.names.filter((name) => !left.includes(name));
        for (const name of published) await rm(join(dataDirectory, name), { recursive: true, force: true });
        if (journal.aside !== null) await this.#moveBack(join(dataDirectory, journal.aside));
        await syncFolder(dataDirectory);
      }
    }
    await this.abandon();
  }

  async #moveBack(aside: string): Promise<void> {
    for (const name of await namesIn(aside)) await rename(join(aside, name), join(this.dataDirectory, name));
    await rmdir(aside).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') throw error;
    });
  }

  async #writeJournal(journal: Journal): Promise<void> {
    const folder = join(this.dataDirectory, RESTORE_FOLDER);
    const draft = join(folder, `${RESTORE_JOURNAL}.tmp`);
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(journal));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, RESTORE_JOURNAL));
    await syncFolder(folder);
    await syncFolder(this.dataDirectory);
  }

  async #readJournal(): Promise<Journal | null> {
    try {
      const text = await readFile(join(this.dataDirectory, RESTORE_FOLDER, RESTORE_JOURNAL), 'utf8');
      return journalSchema.parse(JSON.parse(text));
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
