import type { PostgresMigration } from '../upgrade/migration.ts';
import { storeMigration } from './0001-store.ts';
import { ledgerMigration } from './0002-ledger.ts';
import { catalogueMigration } from './0003-catalogue.ts';
import { successSnapshotMigration } from './0004-success-snapshot.ts';
import { heldChargesMigration } from './0005-held-charges.ts';
import { responseUsageMigration } from './0006-response-usage.ts';
import { objectOriginsMigration } from './0007-object-origins.ts';
import { writeProbeMigration } from './0008-write-probe.ts';
import { answerModelMigration } from './0009-answer-model.ts';
import { accountChangesMigration } from './0010-account-changes.ts';
import { archivedAccountsMigration } from './0011-archived-accounts.ts';
import { billedQuantitiesMigration } from './0012-billed-quantities.ts';
import { holdsMigration } from './0013-holds.ts';
import { tasksMigration } from './0014-tasks.ts';
import { cacheHitsMigration } from './0015-cache-hits.ts';
import { cacheOverridesMigration } from './0016-cache-overrides.ts';
import { cacheReportsMigration } from './0017-cache-reports.ts';
import { peopleMigration } from './0018-people.ts';
import { auditMigration } from './0019-audit.ts';
import { usageMigration } from './0020-usage.ts';
import { usageOnlineMigration } from './0020-usage-online.ts';
import { budgetsMigration } from './0021-budgets.ts';
import { credentialsMigration } from './0022-credentials.ts';
import { alertsMigration } from './0023-alerts.ts';
import { capturesMigration } from './0024-captures.ts';
import { settingsMigration } from './0025-settings.ts';
import { gatewayNodesMigration } from './0026-gateway-nodes.ts';
import { auditActionsMigration } from './0027-audit-actions.ts';
import { requestStoryMigration } from './0028-request-story.ts';
import { cacheSavingsMigration } from './0029-cache-savings.ts';
import { retentionMigration } from './unreleased/0030-retention.ts';
import { editedMigrationsMigration } from './unreleased/0031-edited-migrations.ts';
import { mediaPlaceMigration } from './unreleased/0032-media-place.ts';
import { accountDaysMigration, accountDaysOnlineMigration } from './unreleased/0033-account-days.ts';
import { servingChangesMigration } from './unreleased/0034-serving-changes.ts';
import { usageThinningMigration } from './unreleased/0035-usage-thinning.ts';
import { secondFactorTimeMigration } from './unreleased/0036-second-factor-time.ts';
import { accountQuotasMigration } from './unreleased/0037-account-quotas.ts';
import { thinnedSumsMigration } from './unreleased/0038-thinned-sums.ts';
import { erasuresMigration } from './unreleased/0039-erasures.ts';
import { accountErasuresMigration } from './unreleased/0040-account-erasures.ts';
import { rankingDaysMigration } from './unreleased/0041-ranking-days.ts';
import { ledgerArchiveMigration } from './unreleased/0042-ledger-archive.ts';
import { logPartitionsMigration, logPartitionsOnlineMigration } from './unreleased/0043-log-partitions.ts';

/** In order of their names. A released migration is never changed, only followed by another. */
export const MIGRATIONS: Readonly<Record<string, PostgresMigration>> = {
  '0001-store': storeMigration,
  '0002-ledger': ledgerMigration,
  '0003-catalogue': catalogueMigration,
  '0004-success-snapshot': successSnapshotMigration,
  '0005-held-charges': heldChargesMigration,
  '0006-response-usage': responseUsageMigration,
  '0007-object-origins': objectOriginsMigration,
  '0008-write-probe': writeProbeMigration,
  '0009-answer-model': answerModelMigration,
  '0010-account-changes': accountChangesMigration,
  '0011-archived-accounts': archivedAccountsMigration,
  '0012-billed-quantities': billedQuantitiesMigration,
  '0013-holds': holdsMigration,
  '0014-tasks': tasksMigration,
  '0015-cache-hits': cacheHitsMigration,
  '0016-cache-overrides': cacheOverridesMigration,
  '0017-cache-reports': cacheReportsMigration,
  '0018-people': peopleMigration,
  '0019-audit': auditMigration,
  '0020-usage': { ...usageMigration, online: usageOnlineMigration },
  '0021-budgets': budgetsMigration,
  '0022-credentials': credentialsMigration,
  '0023-alerts': alertsMigration,
  '0024-captures': capturesMigration,
  '0025-settings': settingsMigration,
  '0026-gateway-nodes': gatewayNodesMigration,
  '0027-audit-actions': auditActionsMigration,
  '0028-request-story': requestStoryMigration,
  '0029-cache-savings': cacheSavingsMigration,
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
