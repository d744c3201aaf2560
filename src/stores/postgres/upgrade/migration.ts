import type { Kysely } from 'kysely';
import type { MigrationChain, SchemaMigration } from '../../shared/migration-chain.ts';
import type { DatabaseFunctions } from './functions.ts';

export interface PostgresChain extends MigrationChain<PostgresMigration> {
  readonly functions: DatabaseFunctions;
}

/**
 * A migration. If its plain `up` would lock large tables while it copies their rows, it also has an `online` form. `up` creates a new
 * database; `online` changes one in use and ends with the same schema (acceptance/postgres/upgrade.test.ts compares them).
 */
export interface PostgresMigration extends SchemaMigration {
  readonly online?: OnlineMigration;
}

export interface OnlineMigration {
  /**
   * Changes the schema in one transaction with all other pending migrations, and returns the rows that each backfill must visit. It must
   * not read or write the rows of a growing table, since other nodes wait for its locks.
   */
  up(db: Kysely<unknown>): Promise<Readonly<Record<string, IdRange>>>;
  /** The remaining steps by name, in order. A name is stored in the database until its step is done, so it must never change. */
  readonly steps: Readonly<Record<string, DeferredStep>>;
}

/** The rows with `after < id <= upTo`. */
export interface IdRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** A step that runs after the schema change, while other nodes keep serving. An interrupted step is resumed by the next start. */
export type DeferredStep = Backfill | BuildIndex | BuildPartitionedIndex | Statements;

/** Visits rows in order of id. Each batch runs in a transaction that also records its progress. */
export interface Backfill {
  readonly kind: 'backfill';
  /** A name for operators, such as `lines of the request log`. */
  readonly rows: string;
  /** The table with these rows, for the estimate before an upgrade. */
  readonly table: string;
  /** Visits the rows with `$1 < id and id <= $2`. Must not lock rows that running nodes change. */
  readonly sql: string;
  readonly rowsPerBatch: number;
  /** A measured rate, for the time estimate. */
  readonly rowsPerSecond: number;
}

/** Runs `CREATE INDEX CONCURRENTLY` after removing the remains of an interrupted build. */
export interface BuildIndex {
  readonly kind: 'index';
  readonly name: string;
  /** The part after `ON`, such as `ledger_entries (account_id, at_ms)`. */
  readonly on: string;
}

/**
 * Builds an index of a partitioned table, which `up` has created with `ON ONLY`: `CREATE INDEX CONCURRENTLY` for each partition that has none,
 * since PostgreSQL has no such statement for the whole table. A partition that is added meanwhile gets its index at once.
 */
export interface BuildPartitionedIndex {
  readonly kind: 'partitioned index';
  /** The partitioned table. */
  readonly table: string;
  /** The index of the partitioned table. */
  readonly name: string;
  /** The end of the name of a partition's index after that of the partition. It is the one that PostgreSQL chooses in the plain form. */
  readonly suffix: string;
  /** The part after the table's name, such as `(at_ms)`. */
  readonly on: string;
}

/** Statements without long locks that are each idempotent, run outside a transaction. */
export interface Statements {
  readonly kind: 'statements';
  readonly statements: readonly string[];
  /**
   * Whether each statement needs a lock that blocks other nodes. It must set a short `lock_timeout`, and is retried if it does not get the
   * lock.
   */
  readonly isLocking?: boolean;
}
