import { Kysely, PostgresDialect } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { Pool } from 'pg';
import type { Logger } from '../../../engine/ports/logger.ts';
import { errorCodeOf } from '../../shared/error-code.ts';
import { StoreOpenError } from '../../shared/store-open-error.ts';
import { inTransaction, query, type Session } from '../connection.ts';
import { deferSteps } from './deferred-steps.ts';
import type { PostgresMigration } from './migration.ts';

/**
 * Shorter than PostgreSQL's `deadlock_timeout` of a second, so that in a deadlock it is the upgrade that gives way, and never a charge of
 * a running node; all that needs the table queues behind a waiting lock, so it is also how long such a node may be held up.
 */
const LOCK_TIMEOUT_MS = 500;
/** A lock that was not got, and a deadlock. */
const LOCKED_OUT = ['55P03', '40P01'];
const ATTEMPTS = 120;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3_000;

export interface SchemaChange {
  readonly pool: Pool;
  readonly logger: Logger;
  /** For messages. */
  readonly name: string;
  /** Held by every version of the program that changes the schema. */
  readonly lock: bigint;
}

/**
 * Runs the migrations in one transaction, since nodes of the version before are right with the schema before them or after all of them.
 * Where another session holds a table it gives up at once, and tries again for about five minutes. Throws a `StoreOpenError`.
 */
export async function changeSchema(
  change: SchemaChange,
  pending: readonly (readonly [string, PostgresMigration])[],
  isNew: boolean,
): Promise<void> {
  const { pool, logger, name } = change;
  for (let attempt = 1; ; attempt++) {
    try {
      await inTransaction(pool, (session) => runAll(change, session, pending, isNew));
      return;
    } catch (error) {
      if (!LOCKED_OUT.includes(errorCodeOf(error) ?? '')) throw error;
      const inTheWay = await longestTransactions(pool);
      if (attempt === ATTEMPTS) throw lockedOutError(name, inTheWay, error);
      logger.warn(
        { attempt, inTheWay },
        'the database cannot be upgraded yet, since its tables are in use; trying again',
      );
      await Bun.sleep(Math.min(FIRST_WAIT_MS * attempt, LONGEST_WAIT_MS));
    }
  }
}

async function runAll(
  { lock }: SchemaChange,
  session: Session,
  pending: readonly (readonly [string, PostgresMigration])[],
  isNew: boolean,
): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  await session.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const db = kyselyOver(session);
  for (const [migration, { up, online }] of pending) {
    if (online === undefined || isNew) await up(db);
    else await deferSteps(session, migration, online.steps, await online.up(db));
    await session.query(`INSERT INTO ${DEFAULT_MIGRATION_TABLE} (name, timestamp) VALUES ($1, $2)`, [
      migration,
      new Date().toISOString(),
    ]);
  }
}

/** Over this one session, which is in a transaction already. */
function kyselyOver(session: Session): Kysely<unknown> {
  const client = {
    query: (sql: string, values: readonly unknown[]) => session.query(sql, values),
    release() {},
  };
  // Kysely asks a pool for nothing but connections, and a connection for nothing but these two.
  const pool = { connect: async () => client, end: async () => {} } as unknown as Pool;
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** The sessions that have held tables longest, as an operator can find them. */
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
  return told.join('; ') || 'they have ended meanwhile';
}

function lockedOutError(name: string, inTheWay: string, cause: unknown): StoreOpenError {
  return new StoreOpenError(
    `Cannot upgrade the database ${name}: other sessions have held its tables for minutes (longest transactions: ${inTheWay}). ` +
      'End them with pg_terminate_backend, or wait until they are done, then start again.',
    { cause },
  );
}
