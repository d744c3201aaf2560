import type { SchemaMigration } from '../../../shared/migration-chain.ts';
import { retentionMigration } from './0033-retention.ts';
import { editedMigrationsMigration } from './0034-edited-migrations.ts';
import { mediaPlaceMigration } from './0035-media-place.ts';
import { accountDaysMigration } from './0036-account-days.ts';
import { servingChangesMigration } from './0037-serving-changes.ts';
import { usageThinningMigration } from './0038-usage-thinning.ts';
import { secretCheckMigration } from './0039-secret-check.ts';
import { secondFactorTimeMigration } from './0040-second-factor-time.ts';
import { accountQuotasMigration } from './0041-account-quotas.ts';
import { thinnedSumsMigration } from './0042-thinned-sums.ts';
import { erasuresMigration } from './0043-erasures.ts';
import { accountErasuresMigration } from './0044-account-erasures.ts';
import { rankingDaysMigration } from './0045-ranking-days.ts';
import { ledgerArchiveMigration } from './0046-ledger-archive.ts';

/** The last migration of the version of 2026-11-28 (commit 22b13699), whose stores are the oldest that can be upgraded. */
export const OLDEST = '0032-cache-savings';

/** The migrations from there to the baseline, in order of their names. They never change. */
export const UNRELEASED: Readonly<Record<string, SchemaMigration>> = {
  '0033-retention': retentionMigration,
  '0034-edited-migrations': editedMigrationsMigration,
  '0035-media-place': mediaPlaceMigration,
  '0036-account-days': accountDaysMigration,
  '0037-serving-changes': servingChangesMigration,
  '0038-usage-thinning': usageThinningMigration,
  '0039-secret-check': secretCheckMigration,
  '0040-second-factor-time': secondFactorTimeMigration,
  '0041-account-quotas': accountQuotasMigration,
  '0042-thinned-sums': thinnedSumsMigration,
  '0043-erasures': erasuresMigration,
  '0044-account-erasures': accountErasuresMigration,
  '0045-ranking-days': rankingDaysMigration,
  '0046-ledger-archive': ledgerArchiveMigration,
};
