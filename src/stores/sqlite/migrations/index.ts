import type { Migration } from 'kysely/migration';
import { directoryMigration } from './0001-directory.ts';
import { requestLogMigration } from './0002-request-log.ts';
import { responsesMigration } from './0003-responses.ts';
import { routingMigration } from './0004-routing.ts';
import { ledgerMigration } from './0005-ledger.ts';
import { catalogueMigration } from './0006-catalogue.ts';
import { successSnapshotMigration } from './0007-success-snapshot.ts';
import { heldChargesMigration } from './0008-held-charges.ts';
import { responseUsageMigration } from './0009-response-usage.ts';
import { objectOriginsMigration } from './0010-object-origins.ts';
import { writeProbeMigration } from './0011-write-probe.ts';
import { answerModelMigration } from './0012-answer-model.ts';
import { accountChangesMigration } from './0013-account-changes.ts';
import { archivedAccountsMigration } from './0014-archived-accounts.ts';
import { billedQuantitiesMigration } from './0015-billed-quantities.ts';
import { holdsMigration } from './0016-holds.ts';
import { tasksMigration } from './0017-tasks.ts';
import { cacheHitsMigration } from './0018-cache-hits.ts';
import { cacheOverridesMigration } from './0019-cache-overrides.ts';
import { cacheReportsMigration } from './0020-cache-reports.ts';
import { peopleMigration } from './0021-people.ts';
import { auditMigration } from './0022-audit.ts';
import { usageMigration } from './0023-usage.ts';
import { budgetsMigration } from './0024-budgets.ts';
import { credentialsMigration } from './0025-credentials.ts';
import { alertsMigration } from './0026-alerts.ts';
import { capturesMigration } from './0027-captures.ts';
import { settingsMigration } from './0028-settings.ts';
import { gatewayNodesMigration } from './0029-gateway-nodes.ts';
import { auditActionsMigration } from './0030-audit-actions.ts';
import { requestStoryMigration } from './0031-request-story.ts';
import { cacheSavingsMigration } from './0032-cache-savings.ts';
import { retentionMigration } from './unreleased/0033-retention.ts';
import { editedMigrationsMigration } from './unreleased/0034-edited-migrations.ts';
import { mediaPlaceMigration } from './unreleased/0035-media-place.ts';
import { accountDaysMigration } from './unreleased/0036-account-days.ts';
import { servingChangesMigration } from './unreleased/0037-serving-changes.ts';
import { usageThinningMigration } from './unreleased/0038-usage-thinning.ts';
import { secretCheckMigration } from './unreleased/0039-secret-check.ts';
import { secondFactorTimeMigration } from './unreleased/0040-second-factor-time.ts';
import { accountQuotasMigration } from './unreleased/0041-account-quotas.ts';
import { thinnedSumsMigration } from './unreleased/0042-thinned-sums.ts';
import { erasuresMigration } from './unreleased/0043-erasures.ts';
import { accountErasuresMigration } from './unreleased/0044-account-erasures.ts';
import { rankingDaysMigration } from './unreleased/0045-ranking-days.ts';
import { ledgerArchiveMigration } from './unreleased/0046-ledger-archive.ts';

/** In order of their names. A released migration is never changed, only followed by another. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-directory': directoryMigration,
  '0002-request-log': requestLogMigration,
  '0003-responses': responsesMigration,
  '0004-routing': routingMigration,
  '0005-ledger': ledgerMigration,
  '0006-catalogue': catalogueMigration,
  '0007-success-snapshot': successSnapshotMigration,
  '0008-held-charges': heldChargesMigration,
  '0009-response-usage': responseUsageMigration,
  '0010-object-origins': objectOriginsMigration,
  '0011-write-probe': writeProbeMigration,
  '0012-answer-model': answerModelMigration,
  '0013-account-changes': accountChangesMigration,
  '0014-archived-accounts': archivedAccountsMigration,
  '0015-billed-quantities': billedQuantitiesMigration,
  '0016-holds': holdsMigration,
  '0017-tasks': tasksMigration,
  '0018-cache-hits': cacheHitsMigration,
  '0019-cache-overrides': cacheOverridesMigration,
  '0020-cache-reports': cacheReportsMigration,
  '0021-people': peopleMigration,
  '0022-audit': auditMigration,
  '0023-usage': usageMigration,
  '0024-budgets': budgetsMigration,
  '0025-credentials': credentialsMigration,
  '0026-alerts': alertsMigration,
  '0027-captures': capturesMigration,
  '0028-settings': settingsMigration,
  '0029-gateway-nodes': gatewayNodesMigration,
  '0030-audit-actions': auditActionsMigration,
  '0031-request-story': requestStoryMigration,
  '0032-cache-savings': cacheSavingsMigration,
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
