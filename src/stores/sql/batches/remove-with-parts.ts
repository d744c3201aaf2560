import { ask, type SqlDialect, type SqlProgram } from '../program.ts';

interface Whole {
  readonly table: string;
  /** The table of the numbered parts, and its column with the id of the whole. */
  readonly parts: { readonly table: string; readonly of: string };
}

/** Removes at most `limit` parts first, then those of the rows that have none left. Returns the number of rows removed from both tables. */
export function* removeWithParts(
  dialect: SqlDialect,
  { table, parts }: Whole,
  ids: readonly string[],
  limit: number,
): SqlProgram<number> {
  const wanted = JSON.stringify(ids);
  const removedParts = yield* ask(dialect, (sql) => {
    const rest = `WHERE ${parts.of} ${dialect.inList(sql.put(wanted), 'text')} LIMIT ${sql.put(limit)}`;
    return `DELETE FROM ${parts.table} WHERE ${dialect.firstOf(parts.table, [parts.of, 'number'], rest)} RETURNING number`;
  });
  const removed = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM ${table} WHERE id ${dialect.inList(sql.put(wanted), 'text')}
        AND NOT EXISTS (SELECT 1 FROM ${parts.table} WHERE ${parts.of} = ${table}.id) RETURNING id
    `,
  );
  return removedParts.length + removed.length;
}
