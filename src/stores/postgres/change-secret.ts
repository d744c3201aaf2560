import type { Pool } from 'pg';
import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { SecretTransaction } from '../shared/secret/change-secret.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import type { UpgradePolicy } from '../shared/upgrade-plan.ts';
import { livingNodes } from '../sql/nodes.ts';
import { POSTGRES, runWaiting, type SqlRow } from '../sql/program.ts';
import { inTransaction, openPool, query, type Session } from './connection.ts';
import { migrate } from './migrate.ts';
import { POSTGRES_CHAIN } from './migrations/index.ts';
import { databaseName, toStoreOpenError } from './open-error.ts';
import { answerOf } from './runner.ts';
import { appendAudit } from './store-runner.ts';

/**
 * Runs `work` in one transaction; if it is killed, nothing has changed. Nodes that start meanwhile wait for it before they check their
 * secret. Rejects with a `StoreOpenError` while a node is running, since it would continue to use the earlier secret.
 */
export async function inPostgresSecretTransaction<Result>(
  { url, logger, upgrade }: { readonly url: string; readonly logger: Logger; readonly upgrade: UpgradePolicy },
  work: (
    transaction: SecretTransaction,
  ) => Promise<{ readonly result: Result; readonly audit: readonly NewAuditEntry[] }>,
): Promise<Result> {
  const name = databaseName(url);
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 1 });
  try {
    await migrate(url, logger, name, POSTGRES_CHAIN, upgrade);
    return await inTransaction(pool, async (session) => {
      await session.query('LOCK TABLE secret_check IN ACCESS EXCLUSIVE MODE');
      await refuseWhileNodesRun(session, name);
      const run = answerOf(session);
      const { result, audit } = await work({ dialect: POSTGRES, run });
      await appendAudit(session, audit);
      // A node that read the secret just before it was locked has registered by now.
      await refuseWhileNodesRun(session, name);
      return result;
    });
  } catch (error) {
    throw error instanceof Error && ('code' in error || error.cause !== undefined)
      ? toStoreOpenError(name, error)
      : error;
  } finally {
    await pool.end();
  }
}

/** Runs each statement in its own transaction. */
export function inPool(pool: Pool): SecretTransaction {
  return { dialect: POSTGRES, run: async ({ sql, values }) => (await query<SqlRow>(pool, sql, values)).rows };
}

async function refuseWhileNodesRun(session: Session, name: string): Promise<void> {
  const living = await runWaiting(livingNodes({ dialect: POSTGRES }, Date.now()), answerOf(session));
  if (living.length === 0) return;
  const nodes = living.map(({ hostName, processId }) => `${hostName} (process ${processId})`).join(', ');
  throw new StoreOpenError(
    `Gateways are using the database ${name}: ${nodes}. Stop them first; a killed gateway expires within 45 seconds.`,
  );
}
