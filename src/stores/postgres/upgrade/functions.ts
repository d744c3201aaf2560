import type { Pool } from 'pg';
import { query, type Session } from '../connection.ts';

/** The version of the functions in the database, in one row. */
export const FUNCTIONS_TABLE = 'create table if not exists functions_version (version integer not null)';

export interface DatabaseFunctions {
  readonly version: number;
  /** `CREATE OR REPLACE FUNCTION` statements. */
  readonly sql: string;
}

/** Resolves to whether the database has earlier functions or none. It keeps those of a newer version. */
export async function areFunctionsOlder(pool: Pool, { version }: DatabaseFunctions): Promise<boolean> {
  const { rows } = await query<{ version: number }>(pool, 'SELECT version FROM functions_version');
  return (rows[0]?.version ?? 0) < version;
}

/** Replaces the functions. Must run in the transaction that changes the schema, before its migrations, whose triggers need them. */
export async function replaceFunctions(session: Session, { version, sql }: DatabaseFunctions): Promise<void> {
  // A function may use a table that does not exist yet.
  await session.query('SET LOCAL check_function_bodies = off');
  await session.query(sql);
  await session.query('DELETE FROM functions_version');
  await session.query('INSERT INTO functions_version (version) VALUES ($1)', [version]);
}
