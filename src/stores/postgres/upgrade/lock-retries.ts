import type { Pool } from 'pg';
import type { Logger } from '../../../engine/ports/logger.ts';
import { errorCodeOf } from '../../shared/error-code.ts';
import { StoreOpenError } from '../../shared/store-open-error.ts';
import { query } from '../connection.ts';

/**
 * Shorter than PostgreSQL's `deadlock_timeout` of a second, so that in a deadlock the upgrade gives way and never a charge of a running
 * node. Statements on the table queue behind a waiting lock request, so this is also how long they may be delayed.
 */
export const LOCK_TIMEOUT_MS = 500;
/** Lock timeout and deadlock. */
const LOCKED_OUT = ['55P03', '40P01'];
const ATTEMPTS = 120;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3_000;

export interface LockedWork {
  readonly pool: Pool;
  readonly logger: Logger;
  /** The name of the database in messages. */
  readonly name: string;
}

/** Runs work that soon gives up if another session holds a table, and retries it for about five minutes. Throws a `StoreOpenError`. */
export async function untilUnlocked({ pool, logger, name }: LockedWork, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!LOCKED_OUT.includes(errorCodeOf(error) ?? '')) throw error;
      const inTheWay = await longestTransactions(pool);
      if (attempt === ATTEMPTS) throw lockedOutError(name, inTheWay, error);
      logger.warn({ attempt, inTheWay }, 'the database cannot be upgraded while its tables are in use; retrying');
      await Bun.sleep(Math.min(FIRST_WAIT_MS * attempt, LONGEST_WAIT_MS));
    }
  }
}

/** Describes the oldest transactions, so that an operator can find them. */
async function longestTransactions(pool: Pool): Promise<string> {
  const { rows } = await query<{ pid: number; application_name: string; seconds: number }>(
    pool,
    `SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start)::integer AS seconds
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid IN (
        SELECT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation
          WHERE granted AND relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
      )
      ORDER BY xact_start LIMIT 3`,
  );
  const told = rows.map((row) => `process ${row.pid} (${row.application_name || 'no name'}), ${row.seconds} s`);
  return told.join('; ') || 'already finished';
}

function lockedOutError(name: string, inTheWay: string, cause: unknown): StoreOpenError {
  return new StoreOpenError(
    `Cannot upgrade the database ${name}: other sessions have locked its tables for minutes (longest transactions: ${inTheWay}). ` +
      'End them with pg_terminate_backend, or wait for them to finish, then start again.',
    { cause },
  );
}
