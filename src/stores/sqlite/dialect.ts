import type { Database, SQLQueryBindings } from 'bun:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Kysely over one open bun:sqlite connection, which stays its opener's to close. */
export function bunSqliteDialect(database: Database): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Runs a query that Kysely compiled. */
function runCompiled<Row>(database: Database, compiled: CompiledQuery<Row>): Row[] {
  // The compiler only emits what the query was given, and the tables' row types hold nothing but SQLite's own values.
  const parameters = compiled.parameters as SQLQueryBindings[];
  return database.query<Row, SQLQueryBindings[]>(compiled.sql).all(...parameters);
}

class BunSqliteDriver implements Driver {
  readonly #database: Database;
  readonly #connection: DatabaseConnection;

  constructor(database: Database) {
    this.#database = database;
    this.#connection = new BunSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#database.run('BEGIN IMMEDIATE');
  }

  async commitTransaction(): Promise<void> {
    this.#database.run('COMMIT');
  }

  async rollbackTransaction(): Promise<void> {
    this.#database.run('ROLLBACK');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    // Kysely's own typing: the row's type is what the caller says it is.
    return { rows: runCompiled(this.#database, compiled as CompiledQuery<Row>) };
  }

  // biome-ignore lint/correctness/useYield: the port wants a generator, and there is nothing to stream.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: migrations read no table that is large.');
  }
}
