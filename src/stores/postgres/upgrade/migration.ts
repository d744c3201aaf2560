import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A migration whose plain `up` would lock large tables for as long as it copies their rows also has an `online` form. `up` makes a new
 * database; `online` changes one that is in use and ends with the same schema (acceptance/postgres/upgrade.test.ts compares them).
 */
export interface PostgresMigration extends Migration {
  readonly online?: OnlineMigration;
}

export interface OnlineMigration {
  /**
   * Changes the schema in one transaction with all other pending migrations, and returns which rows each backfill has to visit. It must
   * not read or write the rows of a table that grows: other nodes wait for its locks.
   */
  up(db: Kysely<unknown>): Promise<Readonly<Record<string, IdRange>>>;
  /** What is left, in this order, by name. A name is kept in the database until its step is done, so it never changes. */
  readonly steps: Readonly<Record<string, DeferredStep>>;
}

/** The rows with `after < id <= upTo`. */
export interface IdRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Runs after the schema has changed, while other nodes answer and charge. An interrupted step is continued by the next start. */
export type DeferredStep = Backfill | BuildIndex | Statements;

/** Visits rows in the order of their ids, each batch in a transaction of its own that also records how far it has come. */
export interface Backfill {
  readonly kind: 'backfill';
  /** For the operator, such as `lines of the request log`. */
  readonly rows: string;
  /** Visits the rows with `$1 < id and id <= $2`. It may lock no row that a running node changes. */
  readonly sql: string;
  readonly rowsPerBatch: number;
  /** Measured; for the estimate. */
  readonly rowsPerSecond: number;
}

/** `CREATE INDEX CONCURRENTLY`, with what an interrupted build has left removed before. */
export interface BuildIndex {
  readonly kind: 'index';
  readonly name: string;
  /** What follows `ON`, such as `ledger_entries (account_id, at_ms)`. */
  readonly on: string;
}

/** Statements that need no long lock and may each be repeated, outside a transaction. */
export interface Statements {
  readonly kind: 'statements';
  readonly statements: readonly string[];
  /** Each sets a short `lock_timeout` of its own, since it needs a lock that stops other nodes; it is tried again where it does not get it. */
  readonly isLocking?: boolean;
}
