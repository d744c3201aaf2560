import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SignInDatabase, SqlParameter } from '../engine/ports/sign-in-database.ts';

/** Returns a Kysely dialect over the store's own tables. */
export function signInDialect(database: SignInDatabase): Dialect {
  const isPostgres = database.dialect === 'postgres';
  return {
    createDriver: () => new PortDriver(database),
    createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector =>
      isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db),
  };
}

/** Runs every statement in its own transaction: the library is configured to use no others. */
class PortDriver implements Driver {
  constructor(private readonly database: SignInDatabase) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new PortConnection(this.database);
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Sign-in does not use transactions with several statements.');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class PortConnection implements DatabaseConnection {
  constructor(private readonly database: SignInDatabase) {}

  async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    // The library only passes values that columns can hold.
    const parameters = compiled.parameters as readonly SqlParameter[];
    const { rows, changed } = await this.database.run(compiled.sql, parameters);
    // The caller declares the type of rows, as in Kysely itself.
    return { rows: rows as unknown as Row[], numAffectedRows: BigInt(changed) };
  }

  // biome-ignore lint/correctness/useYield: the port wants a generator, and there is nothing to stream.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: sign-in reads single rows.');
  }
}
