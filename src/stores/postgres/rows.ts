/**
 * Inserts rows that come as one JSON text in `$1`, however many they are: their columns have the types of the table's, and the
 * statement stays the same. What follows, such as ON CONFLICT, is the caller's.
 */
export function insertFromJson(table: string, columns: readonly string[]): string {
  const list = columns.join(', ');
  return `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(null::${table}, $1)`;
}

/** A row of values by position as an object for `insertFromJson`. */
export function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}
