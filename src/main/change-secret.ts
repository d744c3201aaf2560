import { localOrigin } from '../engine/admin/audit/audit-trail.ts';
import type { NewAuditEntry } from '../engine/ports/audit-log.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import {
  type Forgotten,
  forgetAll,
  opensWith,
  type ResealedCounts,
  resealAll,
  type SecretTransaction,
} from '../stores/shared/secret/change-secret.ts';
import { sealedColumns, twoFactorColumns } from '../stores/shared/secret/sealed-columns.ts';
import { StoreOpenError } from '../stores/shared/store-open-error.ts';
import type { UpgradeMode } from '../stores/shared/upgrade-plan.ts';
import { systemUser } from './cli/system-user.ts';
import { derivedKey } from './system.ts';

export interface SecretPlace {
  readonly databasePath: string;
  /** The PostgreSQL database, which replaces the file. */
  readonly databaseUrl: string | null;
  /** Whether a database of an earlier version is upgraded first; `auto` by default. */
  readonly databaseUpgrade?: UpgradeMode;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
}

/** Re-encrypts everything with `to`. Resolves to `null` if that is already done. Rejects with a `StoreOpenError` if `from` is wrong. */
export async function rotateSecret(place: SecretPlace, from: string, to: string): Promise<ResealedCounts | null> {
  const { resealTwoFactor } = await import('../sign-in/reseal-two-factor.ts');
  const reseal = resealTwoFactor(derivedKey(from, 'sign-in'), derivedKey(to, 'sign-in'));
  return inTransaction(place, async (transaction) => {
    // An empty database opens with any secret; the new one still has to be recorded.
    if (!(await opensWith(transaction, from))) {
      if (await opensWith(transaction, to)) return { result: null, audit: [] };
      throw new StoreOpenError('The database uses another master secret than the current one. Nothing was changed.');
    }
    const result = await resealAll(transaction, [...sealedColumns(from, to), ...twoFactorColumns(reseal)], to);
    return { result, audit: [entry(place, 'secret.rotate', { encrypted: result })] };
  });
}

/** Deletes everything that is encrypted with a lost secret. Resolves to `null` if `to` is that secret. */
export function forgetSecret(place: SecretPlace, to: string): Promise<Forgotten | null> {
  return inTransaction(place, async (transaction) => {
    if (await opensWith(transaction, to)) return { result: null, audit: [] };
    const result = await forgetAll(transaction, to);
    return { result, audit: [entry(place, 'secret.forget', { ...result })] };
  });
}

async function inTransaction<Result>(
  { databaseUrl, databasePath, databaseUpgrade: mode = 'auto', logger }: SecretPlace,
  work: (
    transaction: SecretTransaction,
  ) => Promise<{ readonly result: Result; readonly audit: readonly NewAuditEntry[] }>,
): Promise<Result> {
  if (databaseUrl === null) {
    const { inSqliteSecretTransaction } = await import('../stores/sqlite/change-secret.ts');
    return inSqliteSecretTransaction({ path: databasePath, logger, upgrade: { mode } }, work);
  }
  const { inPostgresSecretTransaction } = await import('../stores/postgres/change-secret.ts');
  return inPostgresSecretTransaction({ url: databaseUrl, logger, upgrade: { mode } }, work);
}

function entry({ clock }: SecretPlace, action: string, after: NewAuditEntry['after']): NewAuditEntry {
  const origin = localOrigin({ kind: 'command_line', name: systemUser() });
  return { ...origin, atMs: clock.nowMs(), action, accountId: null, objectId: 'master', before: null, after };
}
