import type { Logger } from '../engine/ports/logger.ts';
import type { UpgradePlan } from '../stores/shared/upgrade-plan.ts';

export interface UpgradePlace {
  readonly databasePath: string;
  /** The PostgreSQL database, which replaces the file. */
  readonly databaseUrl: string | null;
  readonly logger: Logger;
}

/** Plans the upgrade of the database without changing it. Rejects with a `StoreOpenError`. */
export async function planUpgrade({ databasePath, databaseUrl: url, logger }: UpgradePlace): Promise<UpgradePlan> {
  if (url !== null) {
    const { planDatabaseUpgrade } = await import('../stores/postgres/migrate.ts');
    return planDatabaseUpgrade({ url, logger });
  }
  const { planFileUpgrade } = await import('../stores/sqlite/plan-upgrade.ts');
  return planFileUpgrade(databasePath);
}

/** Upgrades the database, or creates it; resolves to what was to be done. Rejects with a `StoreOpenError`. */
export async function upgradeDatabase({ databasePath, databaseUrl: url, logger }: UpgradePlace): Promise<UpgradePlan> {
  if (url !== null) {
    const { upgradeDatabase: upgrade } = await import('../stores/postgres/migrate.ts');
    return upgrade({ url, logger });
  }
  const { upgradeFile } = await import('../stores/sqlite/upgrade-file.ts');
  return upgradeFile({ path: databasePath, logger });
}
