import type { Database } from 'bun:sqlite';
import type { SqlParameter } from '../../engine/ports/sign-in-database.ts';
import type { SqlRow, Statement } from './program.ts';

/** Runs one statement on SQLite, which has neither booleans nor dates. */
export function runStatement(database: Database, { sql, values }: Statement): readonly SqlRow[] {
  return database.query<SqlRow, ReturnType<typeof storable>[]>(sql).all(...values.map(storable));
}

/** Returns the number of rows changed by the last statement. */
export function changedRows(database: Database): number {
  return Number(database.query<{ changed: number | bigint }, []>('SELECT changes() AS changed').get()?.changed ?? 0);
}

export function isRead(sql: string): boolean {
  return /^\s*select\b/i.test(sql);
}

function storable(value: SqlParameter) {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Date ? value.toISOString() : value;
}
