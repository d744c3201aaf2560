import type { PostgresMigration } from '../../upgrade/migration.ts';
import { retentionMigration } from './0030-retention.ts';
import { editedMigrationsMigration } from './0031-edited-migrations.ts';
import { mediaPlaceMigration } from './0032-media-place.ts';
import { accountDaysMigration, accountDaysOnlineMigration } from './0033-account-days.ts';
import { servingChangesMigration } from './0034-serving-changes.ts';
import { usageThinningMigration } from './0035-usage-thinning.ts';
import { secondFactorTimeMigration } from './0036-second-factor-time.ts';
import { accountQuotasMigration } from './0037-account-quotas.ts';
import { thinnedSumsMigration } from './0038-thinned-sums.ts';
import { erasuresMigration } from './0039-erasures.ts';
import { accountErasuresMigration } from './0040-account-erasures.ts';
import { rankingDaysMigration } from './0041-ranking-days.ts';
import { ledgerArchiveMigration } from './0042-ledger-archive.ts';
import { logPartitionsMigration, logPartitionsOnlineMigration } from './0043-log-partitions.ts';

/** The last migration of the version of 2026-11-28 (commit 22b13699), whose stores are the oldest that can be upgraded. */
export const OLDEST = '0029-cache-savings';

/** The migrations from there to the baseline, in order of their names. They never change. */
export const UNRELEASED: Readonly<Record<string, PostgresMigration>> = {
  '0030-retention': retentionMigration,
  '0031-edited-migrations': editedMigrationsMigration,
  '0032-media-place': mediaPlaceMigration,
  '0033-account-days': { ...accountDaysMigration, online: accountDaysOnlineMigration },
  '0034-serving-changes': servingChangesMigration,
  '0035-usage-thinning': usageThinningMigration,
  '0036-second-factor-time': secondFactorTimeMigration,
  '0037-account-quotas': accountQuotasMigration,
  '0038-thinned-sums': thinnedSumsMigration,
  '0039-erasures': erasuresMigration,
  '0040-account-erasures': accountErasuresMigration,
  '0041-ranking-days': rankingDaysMigration,
  '0042-ledger-archive': ledgerArchiveMigration,
  '0043-log-partitions': { ...logPartitionsMigration, online: logPartitionsOnlineMigration },
};
