import type { ThinningTask } from '../../../engine/ports/retention-store.ts';
import type { SqlDialect, SqlProgram, SqlRow } from '../program.ts';
import { ADDED_TO_ROLLUP } from './sum-statements.ts';
import {
  fromSumsRow,
  PLACE_COLUMNS,
  SUMMED_HOUR_MS,
  SUMS_COLUMNS,
  type SumsRow,
  thinMinutes,
  toSumsValues,
} from './thinning.ts';

/** Checking an account with nothing to thin takes SQLite 0.2 ms (measured), during which other writes wait. */
const ACCOUNTS_AT_ONCE = 25;
const MINUTE_MS = 60_000;
const COLUMNS = SUMS_COLUMNS.join(', ');
const ORDER = ['bucket_ms', ...PLACE_COLUMNS].join(', ');

/** Thins the sums of some accounts; returns the account to continue with, or `null` after the last one. */
export function* thinSums(dialect: SqlDialect, task: ThinningTask): SqlProgram<string | null> {
  // Rows read here must not change before they are written again.
  if (dialect.lockRollUps !== null) yield dialect.lockRollUps;
  const ids = yield* accountsFrom(dialect, task.fromAccount);
  let rows = 0;
  for (const id of ids) {
    if (rows >= task.limit) return id;
    const thinned = yield* thinAccount(dialect, id, task);
    const deleted = yield* deleteOld(dialect, id, task);
    rows += thinned.rows + deleted;
    if (thinned.isMore || deleted >= task.limit) return id;
  }
  if (ids.length < ACCOUNTS_AT_ONCE) return null;
  // Sorts after this account and before any longer or later one.
  return `${ids.at(-1)}\u0001`;
}

/** Skips through the index from account to account; a DISTINCT over all rows would take minutes. */
function* accountsFrom({ mark }: SqlDialect, from: string): SqlProgram<readonly string[]> {
  const sql = `
    WITH RECURSIVE ids (id) AS (
      SELECT (SELECT min(account_id) FROM usage_rollups WHERE account_id >= ${mark}1)
      UNION ALL
      SELECT (SELECT min(account_id) FROM usage_rollups WHERE account_id > ids.id) FROM ids WHERE ids.id IS NOT NULL
    )
    SELECT id FROM ids WHERE id IS NOT NULL LIMIT ${ACCOUNTS_AT_ONCE}
  `;
  return (yield { sql, values: [from] }).map(({ id }) => String(id));
}

function* thinAccount(
  dialect: SqlDialect,
  id: string,
  { sinceMs, minutesBeforeMs, limit }: ThinningTask,
): SqlProgram<{ readonly rows: number; readonly isMore: boolean }> {
  let minutes = yield* sumsBetween(dialect, id, 'minute', sinceMs, minutesBeforeMs, limit);
  if (minutes.length === 0) return { rows: 0, isMore: false };
  const isMore = minutes.length >= limit;
  const fromMs = floor(minutes[0]?.bucketMs ?? 0, SUMMED_HOUR_MS);
  let toMs = minutesBeforeMs;
  if (isMore) {
    toMs = endOfWhole(minutes);
    // The first minute alone exceeds a batch.
    if (toMs > (minutes.at(-1)?.bucketMs ?? 0))
      minutes = yield* sumsBetween(dialect, id, 'minute', sinceMs, toMs, null);
    else minutes = minutes.filter(({ bucketMs }) => bucketMs < toMs);
  }
  const lastHourMs = floor(toMs - 1, SUMMED_HOUR_MS);
  const hours = yield* sumsBetween(dialect, id, 'hour', fromMs, lastHourMs + SUMMED_HOUR_MS, null);
  const { replaced, added } = thinMinutes(minutes, hours);
  const { mark } = dialect;
  yield {
    sql: `DELETE FROM usage_rollups WHERE account_id = ${mark}1 AND level = 'minute'
      AND bucket_ms >= ${mark}2 AND bucket_ms < ${mark}3 AND bucket_ms % ${MINUTE_MS} = 0`,
    values: [id, fromMs, toMs],
  };
  if (replaced.length > 0) yield removal(dialect, id, fromMs, lastHourMs, replaced);
  yield addition(dialect, id, added);
  return { rows: minutes.length, isMore };
}

/** Returns the end of the part of a truncated result that is complete: whole hours, else whole minutes, else its only minute. */
function endOfWhole(rows: readonly SumsRow[]): number {
  const [firstMs, lastMs] = [rows[0]?.bucketMs ?? 0, rows.at(-1)?.bucketMs ?? 0];
  for (const size of [SUMMED_HOUR_MS, MINUTE_MS]) {
    if (floor(lastMs, size) > firstMs) return floor(lastMs, size);
  }
  return floor(lastMs, MINUTE_MS) + MINUTE_MS;
}

function* sumsBetween(
  { mark }: SqlDialect,
  id: string,
  level: 'minute' | 'hour',
  fromMs: number,
  toMs: number,
  limit: number | null,
): SqlProgram<readonly SumsRow[]> {
  const rows: readonly SqlRow[] = yield {
    sql: `SELECT ${COLUMNS} FROM usage_rollups WHERE account_id = ${mark}1 AND level = '${level}'
      AND bucket_ms >= ${mark}2 AND bucket_ms < ${mark}3 AND bucket_ms % ${MINUTE_MS} = 0
      ORDER BY ${ORDER} ${limit === null ? '' : `LIMIT ${limit}`}`,
    values: [id, fromMs, toMs],
  };
  return rows.map(fromSumsRow);
}

function removal({ mark, each }: SqlDialect, id: string, fromMs: number, lastMs: number, rows: readonly SumsRow[]) {
  return {
    sql: `DELETE FROM usage_rollups WHERE account_id = ${mark}1 AND level = 'hour' AND bucket_ms >= ${mark}2 AND bucket_ms <= ${mark}3
      AND (${ORDER}) IN (SELECT ${valuesOf(['bucket_ms', ...PLACE_COLUMNS])} FROM ${each(`${mark}4`)} WHERE true)`,
    values: [id, fromMs, lastMs, JSON.stringify(rows.map(({ bucketMs, place }) => [bucketMs, ...place]))],
  };
}

function addition({ mark, each }: SqlDialect, id: string, rows: readonly SumsRow[]) {
  return {
    sql: `INSERT INTO usage_rollups (account_id, ${COLUMNS})
      SELECT CAST(${mark}1 AS text), ${valuesOf(SUMS_COLUMNS)} FROM ${each(`${mark}2`)} WHERE true
      ${ADDED_TO_ROLLUP}`,
    values: [id, JSON.stringify(rows.map(toSumsValues))],
  };
}

/** Returns a FROM item that reads the members of a JSON array as these columns. */
function valuesOf(columns: readonly string[]): string {
  const isText = (column: string) => ['level', 'key_id', 'model_id', 'channel_id', 'tag'].includes(column);
  return columns
    .map((column, index) => `CAST(listed.value ->> ${index} AS ${isText(column) ? 'text' : 'bigint'})`)
    .join(', ');
}

function* deleteOld({ mark }: SqlDialect, id: string, { hoursBeforeMs, limit }: ThinningTask): SqlProgram<number> {
  let all = 0;
  for (const level of ['minute', 'hour']) {
    const old = `account_id = ${mark}1 AND level = '${level}' AND bucket_ms < ${mark}2`;
    const [row] = yield {
      sql: `SELECT max(bucket_ms) AS last_ms, count(*) AS found FROM (
        SELECT bucket_ms FROM usage_rollups WHERE ${old} ORDER BY bucket_ms LIMIT ${limit}
      ) AS oldest`,
      values: [id, hoursBeforeMs],
    };
    const found = Number(row?.found ?? 0);
    if (found === 0) continue;
    yield {
      sql: `DELETE FROM usage_rollups WHERE ${old} AND bucket_ms <= ${mark}3`,
      values: [id, hoursBeforeMs, Number(row?.last_ms)],
    };
    all += found;
  }
  return all;
}

function floor(ms: number, sizeMs: number): number {
  return Math.floor(ms / sizeMs) * sizeMs;
}
