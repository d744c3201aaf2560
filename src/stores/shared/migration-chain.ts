import type { Kysely } from 'kysely';
import { newerSchemaError, StoreOpenError } from './store-open-error.ts';

/** The table of applied migrations. Earlier versions used Kysely's migrator, so it has the name and columns of Kysely's. */
export const MIGRATION_TABLE = 'kysely_migration';
export const CREATE_MIGRATION_TABLE = `create table if not exists ${MIGRATION_TABLE} (
  name varchar(255) not null primary key,
  timestamp varchar(255) not null
)`;

/** Replaces the history of a store that was made before the baseline. The lock table was Kysely's. */
export const FORGET_EARLIER_HISTORY = [`delete from ${MIGRATION_TABLE}`, 'drop table if exists kysely_migration_lock'];

/** A change of the schema: SQL statements, or a function for what SQL alone cannot do. */
export interface SchemaMigration {
  readonly up: string | ((db: Kysely<unknown>) => Promise<void>);
  /** The tables whose rows `up` reads or copies, for the estimate of an upgrade. */
  readonly rowsOf?: readonly string[];
}

export interface MigrationChain<Migration extends SchemaMigration> {
  /** The migrations by name, in order. The first is the baseline, which creates the whole schema. A released migration is never changed. */
  readonly migrations: Readonly<Record<string, Migration>>;
  /** The migrations that led to the baseline. They upgrade the stores of development versions, once. */
  readonly unreleased: Readonly<Record<string, Migration>>;
  /** The last migration of the oldest stores that can be upgraded. */
  readonly oldest: string;
}

export interface Remaining<Migration> {
  /** The migrations of `unreleased` that are missing, or `null` unless the store was made before the baseline. */
  readonly imports: readonly (readonly [string, Migration])[] | null;
  /** The migrations after those, without the baseline if there are imports. */
  readonly pending: readonly (readonly [string, Migration])[];
}

/** Returns what a database called `name` lacks. Throws a `StoreOpenError` if this version cannot upgrade it. */
export function remainingMigrations<Migration extends SchemaMigration>(
  name: string,
  applied: readonly string[],
  chain: MigrationChain<Migration>,
): Remaining<Migration> {
  const { migrations, unreleased, oldest } = chain;
  const baseline = baselineOf(chain);
  const isEarlier = applied.length > 0 && !applied.includes(baseline);
  const known = isEarlier ? unreleased : migrations;
  const unknown = applied.filter(
    (migration) => !Object.hasOwn(known, migration) && !(isEarlier && migration <= oldest),
  );
  if (unknown.length > 0) throw newerSchemaError(name, unknown);
  if (isEarlier && !applied.includes(oldest)) throw tooOldError(name);
  const missing = (some: Readonly<Record<string, Migration>>, present: readonly string[]) =>
    Object.entries(some).filter(([migration]) => !present.includes(migration));
  if (!isEarlier) return { imports: null, pending: missing(migrations, applied) };
  return { imports: missing(unreleased, applied), pending: missing(migrations, [baseline]) };
}

export function baselineOf({ migrations }: MigrationChain<SchemaMigration>): string {
  const [baseline] = Object.keys(migrations);
  if (baseline === undefined) throw new Error('A chain of migrations begins with its baseline.');
  return baseline;
}

/** Returns the error for a database whose earliest migrations were removed from this version. */
export function tooOldError(name: string): StoreOpenError {
  return new StoreOpenError(
    `Cannot open the database ${name}: a development version from before 2026-11-28 has made it. Start a version of 2026-11-28 or 2026-11-29 (commit 7f77d120) with it once, then this one.`,
  );
}
