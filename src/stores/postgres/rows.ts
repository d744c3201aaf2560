/**
 * Returns an INSERT of rows passed as one JSON text in `$1`. The statement is the same for any number of rows, and takes the column types
 * from the table. Callers append clauses such as ON CONFLICT.
 */
export function insertFromJson(table: string, columns: readonly string[]): string {
  const list = columns.join(', ');
  return `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(null::${table}, $1)`;
}

/** Converts positional values to an object for `insertFromJson`. */
export function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}
