/**
 * Inserts rows that come as one JSON text in `$1`, however many they are: their columns have the types of the table's, and the
 * statement stays the same. What follows, such as ON CONFLICT, is the caller's.
 */
export function insertFromJson(table: string, columns: readonly string[]): string {
  const list = columns.join(', ');
  return `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(null::${table}, $1)`;
}

/** For ON CONFLICT: takes over all columns of the row that came but those of the key, which are equal. */
export function updateAllBut(keys: readonly string[], columns: readonly string[]): string {
  const changed = columns.filter((column) => !keys.includes(column));
  return `ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

/** A row of values by position as an object for `insertFromJson`. */
export function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}
