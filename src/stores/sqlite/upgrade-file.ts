import type { Database } from 'bun:sqlite';
import type { UpgradePlan } from '../shared/upgrade-plan.ts';
import { makeFile, openConnection, retryWhileBusy } from './connection.ts';
import { type MigrateOptions, migrate } from './migrate.ts';
import { toStoreOpenError } from './open-error.ts';

export interface FileUpgrade extends Pick<MigrateOptions, 'logger' | 'ownsFolder'> {
  /** The database file, created with its folder if missing. */
  readonly path: string;
}

/** Upgrades the file while no gateway can use its folder; resolves to what was to be done. Rejects with a `StoreOpenError`. */
export async function upgradeFile({ path, ...options }: FileUpgrade): Promise<UpgradePlan> {
  let database: Database | null = null;
  try {
    makeFile(path);
    const opened = await retryWhileBusy(() => openConnection(path, 'FULL'));
    database = opened;
    return await migrate(opened, path, options);
  } catch (error) {
    throw toStoreOpenError(path, error);
  } finally {
    database?.close();
  }
}
