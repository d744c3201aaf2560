import type { Migration } from 'kysely/migration';
import { storeMigration } from './0001-store.ts';
import { ledgerMigration } from './0002-ledger.ts';
import { catalogueMigration } from './0003-catalogue.ts';
import { successSnapshotMigration } from './0004-success-snapshot.ts';

/** In the order of their names; one that has been released is never changed, only followed by another. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-store': storeMigration,
  '0002-ledger': ledgerMigration,
  '0003-catalogue': catalogueMigration,
  '0004-success-snapshot': successSnapshotMigration,
};
