import { Client } from 'pg';
import { formatNumber, renderTable } from './report/table.ts';

const SHOWN_STATEMENTS = 14;
const SHOWN_CHARACTERS = 110;

/** Those of a durable server with memory for the indexes in use, which keeps statistics about statements. */
export const POSTGRES_SETTINGS: readonly string[] = [
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=all',
  'pg_stat_statements.track_planning=on',
];

/** Runs a query on its own connection. */
export async function rowsOf<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

interface StatementRow {
  readonly calls: number;
  readonly ms: number;
  readonly plan_ms: number;
  readonly rows: number;
  readonly text: string;
}

/** Prints the statements on which the database spent its time. Those inside functions also count in the call of their function. */
export async function reportStatements(url: string): Promise<void> {
  await rowsOf(url, 'create extension if not exists pg_stat_statements');
  const rows = await rowsOf<StatementRow>(
    url,
    `select calls::float8, total_plan_time + total_exec_time as ms, total_plan_time as plan_ms, rows::float8,
         left(regexp_replace(query, '\\s+', ' ', 'g'), ${SHOWN_CHARACTERS}) as text
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
       order by total_plan_time + total_exec_time desc limit ${SHOWN_STATEMENTS}`,
  );
  const texts = rows.map(({ calls, ms, plan_ms, rows: count, text }) => [
    ...[text, formatNumber(calls, 0), formatNumber(count / calls, 1), formatNumber(ms, 0)],
    ...[formatNumber(ms / calls, 3), formatNumber(plan_ms / calls, 3)],
  ]);
  console.log(renderTable(['statement', 'calls', 'rows each', 'ms', 'ms each', 'of which planning'], texts, 1));
}
