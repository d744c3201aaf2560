import { baselineOf, FORGET_EARLIER_HISTORY, MIGRATION_TABLE, type Remaining } from '../../shared/migration-chain.ts';
import { StoreOpenError } from '../../shared/store-open-error.ts';
import { inTransaction, query } from '../connection.ts';
import { changeSchema, type SchemaChange } from './change-schema.ts';
import { runDeferredSteps } from './deferred-steps.ts';
import type { PostgresChain, PostgresMigration } from './migration.ts';

/**
 * Upgrades a database from before the baseline to it: runs the missing migrations and their deferred steps, then replaces the history by the
 * baseline. An interrupted import continues at the next start. Throws a `StoreOpenError`.
 */
export async function importDatabase(
  change: SchemaChange,
  imports: NonNullable<Remaining<PostgresMigration>['imports']>,
  chain: PostgresChain,
): Promise<void> {
  const { pool, lock, logger, name } = change;
  await refuseUnknownSteps(change, chain);
  if (imports.length > 0) await changeSchema(change, { pending: imports, isNew: false, functions: null });
  await runDeferredSteps(change, chain.unreleased);
  await inTransaction(pool, async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    for (const statement of FORGET_EARLIER_HISTORY) await session.query(statement);
    const baseline = [baselineOf(chain), new Date().toISOString()];
    await session.query(`INSERT INTO ${MIGRATION_TABLE} (name, timestamp) VALUES ($1, $2)`, baseline);
  });
  logger.info({ database: name, migrations: imports.map(([migration]) => migration) }, 'the schema has been imported');
}

/** The steps of migrations before the import cannot be resumed. */
async function refuseUnknownSteps({ pool, name }: SchemaChange, { unreleased }: PostgresChain): Promise<void> {
  const { rows } = await query<{ migration: string }>(pool, 'SELECT DISTINCT migration FROM deferred_steps');
  const unknown = rows.map(({ migration }) => migration).filter((migration) => !Object.hasOwn(unreleased, migration));
  if (unknown.length === 0) return;
  throw new StoreOpenError(
    `Cannot open the database ${name}: an upgrade by an earlier version was interrupted (${unknown.join(', ')}). Start that version until it is ready, then this one.`,
  );
}
