import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { MIGRATION_TABLE } from '../../shared/migration-chain.ts';
import { inTransaction, type Session } from '../connection.ts';
import { deferSteps } from './deferred-steps.ts';
import { type DatabaseFunctions, replaceFunctions } from './functions.ts';
import { LOCK_TIMEOUT_MS, type LockedWork, untilUnlocked } from './lock-retries.ts';
import type { PostgresMigration } from './migration.ts';

export interface SchemaChange extends LockedWork {
  /** Taken by every version of the program that changes the schema. */
  readonly lock: bigint;
}

export interface SchemaUpdate {
  readonly pending: readonly (readonly [string, PostgresMigration])[];
  /** Whether the database is empty. */
  readonly isNew: boolean;
  /** `null` if they stay as they are. */
  readonly functions: DatabaseFunctions | null;
}

/**
 * Replaces the functions and runs the migrations in one transaction, since nodes of the previous version work with the schema before or after all of them, but not in
 * between. If another session holds a table it gives up at once and retries for about five minutes. Throws a `StoreOpenError`.
 */
export async function changeSchema(change: SchemaChange, update: SchemaUpdate): Promise<void> {
  await untilUnlocked(change, () => inTransaction(change.pool, (session) => runAll(change, session, update)));
}

async function runAll(
  { lock }: SchemaChange,
  session: Session,
  { pending, isNew, functions }: SchemaUpdate,
): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  await session.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  if (functions !== null) await replaceFunctions(session, functions);
  const db = kyselyOver(session);
  for (const [migration, { up, online }] of pending) {
    if (online === undefined || isNew) await (typeof up === 'string' ? session.query(up) : up(db));
    else await deferSteps(session, migration, online.steps, await online.up(db));
    await session.query(`INSERT INTO ${MIGRATION_TABLE} (name, timestamp) VALUES ($1, $2)`, [
      migration,
      new Date().toISOString(),
    ]);
  }
}

/** Creates a Kysely instance over this session, which is already in a transaction. */
function kyselyOver(session: Session): Kysely<unknown> {
  const client = {
    query: (sql: string, values: readonly unknown[]) => session.query(sql, values),
    release() {},
  };
  // Kysely only takes connections from the pool, and only uses these two methods of a connection.
  const pool = { connect: async () => client, end: async () => {} } as unknown as Pool;
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}
