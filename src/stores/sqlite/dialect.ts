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

/** A Kysely dialect over an open bun:sqlite connection, which the caller closes. */
export function bunSqliteDialect(database: Database): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Runs a query compiled by Kysely. */
function runCompiled<Row>(database: Database, compiled: CompiledQuery<Row>): Row[] {
  // The compiler only emits the query's own values, and the tables' row types only contain SQLite values.
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
    // The caller states the row type, as in Kysely's own typing.
    return { rows: runCompiled(this.#database, compiled as CompiledQuery<Row>) };
  }

  // biome-ignore lint/correctness/useYield: the port wants a generator, and there is nothing to stream.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: migrations read no large table.');
  }
}
