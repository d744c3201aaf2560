import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreOpenError } from '../shared/store-open-error.ts';

/** The folder in a data folder in which a restore prepares its files. */
export const RESTORE_FOLDER = '.restore';
/** Exists in it while the files of the data folder are exchanged. */
export const RESTORE_JOURNAL = 'journal.json';

/** Throws a `StoreOpenError` if a restore into the folder was interrupted while it exchanged files, so that its database may be missing. */
export function refuseUnfinishedRestore(folder: string): void {
  if (!existsSync(join(folder, RESTORE_FOLDER, RESTORE_JOURNAL))) return;
  throw new StoreOpenError(
    `A restore into the data folder ${folder} is running or was interrupted. Run "switchyard restore" again: it undoes the interrupted one first.`,
  );
}
