import type { Migration } from 'kysely/migration';
import { storeMigration } from './0001-store.ts';
import { ledgerMigration } from './0002-ledger.ts';

/** In the order of their names; one that has been released is never changed, only followed by another. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-store': storeMigration,
  '0002-ledger': ledgerMigration,
};
