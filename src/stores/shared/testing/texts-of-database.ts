import type { SignInDatabase } from '../../../engine/ports/sign-in-database.ts';

interface FoundText {
  readonly place: string;
  readonly text: string;
}

const COLUMNS = {
  sqlite: `SELECT tables.name AS in_table, columns.name AS in_column
    FROM sqlite_schema tables JOIN pragma_table_info(tables.name) columns WHERE tables.type = 'table'`,
  postgres: `SELECT table_name AS in_table, column_name AS in_column
    FROM information_schema.columns WHERE table_schema = current_schema()`,
} as const;

/** Reads all texts from all tables that exist, so that tables added later are included. */
export async function textsOfDatabase({ dialect, run }: SignInDatabase): Promise<readonly FoundText[]> {
  const columns = (await run(COLUMNS[dialect], [])).rows;
  const found: FoundText[] = [];
  for (const { in_table: table, in_column: column } of columns) {
    const text = `CAST("${column}" AS text)`;
    const { rows } = await run(`SELECT ${text} AS found FROM "${table}" WHERE "${column}" IS NOT NULL`, []);
    found.push(...rows.map((row) => ({ place: `${table}.${column}`, text: String(row.found) })));
  }
  return found;
}
