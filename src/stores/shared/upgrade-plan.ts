import { StoreOpenError } from './store-open-error.ts';

/** A change that an upgrade makes to a database. */
export interface PlannedChange {
  /** The name of the migration, with the step if only that is left, or `functions`. */
  readonly name: string;
  /** `at_once`: in one transaction with all others of this kind. `online`: in steps, while nodes of the previous version serve. */
  readonly how: 'at_once' | 'online';
  /** The estimated number of rows that are read or copied; 0 if only the schema changes. */
  readonly rows: number;
}

/** The difference between a database and this version. */
export interface UpgradePlan {
  /** The database's name in messages. */
  readonly database: string;
  readonly kind: 'sqlite' | 'postgresql';
  /** `absent` if there are no tables yet, so that the schema will be created; `due` if an earlier version has made them. */
  readonly state: 'absent' | 'due' | 'current';
  /** In order. */
  readonly changes: readonly PlannedChange[];
  /** The process that is upgrading the database now or, with SQLite, using its folder; `null` if there is none. */
  readonly usedBy: string | null;
}

/** How an opening store treats a database that an earlier version has made. */
export interface UpgradePolicy {
  /** With `refuse`, opening fails if an upgrade is due. An empty database gets its tables in any case. */
  readonly mode: UpgradeMode;
  /** Awaited before an upgrade begins, and before waiting for another process's. A `StoreOpenError` prevents it. */
  readonly beforeUpgrade?: (plan: UpgradePlan) => Promise<void>;
}

export const UPGRADE_MODES = ['auto', 'refuse'] as const;
export type UpgradeMode = (typeof UPGRADE_MODES)[number];

export const AUTOMATIC_UPGRADE: UpgradePolicy = { mode: 'auto' };

/** Returns what is logged before an upgrade. */
export function upgradeFields({ changes }: UpgradePlan) {
  const named = (how: PlannedChange['how']) => changes.filter((change) => change.how === how).map(({ name }) => name);
  return { atOnce: named('at_once'), online: named('online'), rows: changes.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Returns the error for a database whose upgrade is due, and which must not be upgraded by this process. */
export function refusedUpgradeError(plan: UpgradePlan): StoreOpenError {
  return new StoreOpenError(
    `Cannot open the database ${plan.database}: it must be upgraded first (${namesIn(plan)}), and DATABASE_UPGRADE is "refuse". Run "switchyard migrate" with this version, then start again.`,
  );
}

/** Returns the error for a file whose upgrade is due while another process uses its folder. */
export function upgradeInUseError(plan: UpgradePlan, user: string): StoreOpenError {
  return new StoreOpenError(
    `Cannot upgrade the database ${plan.database} (${namesIn(plan)}): ${user || 'another process'} is using its folder, as a gateway or for an upgrade. Stop the gateway or wait for the upgrade, then try again.`,
  );
}

function namesIn({ changes }: UpgradePlan): string {
  return changes.map(({ name }) => name).join(', ');
}
