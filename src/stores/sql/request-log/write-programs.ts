import type { RequestRecord } from '../../../engine/ports/request-log.ts';
import type { UsageDelta } from '../../../engine/ports/usage-store.ts';
import { REQUEST_LOG_COLUMNS, toRequestLogValues } from '../../shared/tables/request-log.ts';
import type { SealedLine } from '../../shared/tables/sealed-failure.ts';
import { toUsageValues, USAGE_COLUMNS, usageOfLines } from '../../shared/tables/usage.ts';
import { ask, lock, type SqlDialect, type SqlProgram } from '../program.ts';
import { toStorable } from '../texts.ts';
import { LINE_COLUMNS, timeOfRequestId, toLine } from './lines.ts';
import { type RecoveryTask, recoverLines } from './recover-lines.ts';

/** Lines whose charge is older than this may have been recovered already. */
const LATE_AFTER_MS = 30_000;
/** The delay before recovery, so that paused processes and late lines can still arrive. */
export const RECOVER_AFTER_MS = 60_000;

/** Held while writing lines that another node may be writing at the same time. */
const LOCK = 'recovered lines';

/** A line is only written when its client has received the end of the response, which comes after the charge. */
export function isLate({ atMs, latencyMs, times }: RequestRecord, nowMs: number): boolean {
  return nowMs - atMs - Math.min(latencyMs, times?.answeredMs ?? latencyMs) > LATE_AFTER_MS;
}

/** Returns an INSERT of the lines in a parameter of `linesJson`. */
export function insertLines(dialect: SqlDialect, mark: string): string {
  return insertInto(dialect, mark, 'request_log', REQUEST_LOG_COLUMNS);
}

/** Returns an INSERT of the usage in a parameter of `usageJson`. */
export function insertUsage(dialect: SqlDialect, mark: string): string {
  return insertInto(dialect, mark, 'usage_deltas', USAGE_COLUMNS);
}

export function linesJson(records: readonly SealedLine[]): string {
  return rowsJson(REQUEST_LOG_COLUMNS, records.map(toRequestLogValues));
}

export function usageJson(usage: readonly UsageDelta[]): string {
  return rowsJson(USAGE_COLUMNS, usage.map(toUsageValues));
}

/**
 * Writes lines that may exist already. A late line may have been recovered from its charge; then it replaces the recovered line.
 *
 * @param isRetry whether the lines may be written already, after an attempt without a response
 */
export function* writingMissing(dialect: SqlDialect, batch: readonly SealedLine[], isRetry: boolean): SqlProgram<void> {
  yield* lock(dialect, LOCK);
  const times = JSON.stringify(batch.flatMap(({ atMs, requestId }) => [atMs, timeOfRequestId(requestId) ?? atMs]));
  const among = (ids: readonly { readonly requestId: string }[]) => (sql: { put(value: string): string }) =>
    `
    FROM request_log WHERE at_ms ${dialect.inList(sql.put(times), 'double precision')}
      AND request_id ${dialect.inList(sql.put(JSON.stringify(ids.map(({ requestId }) => requestId))), 'text')}
  `;
  const known = (yield* ask(dialect, (sql) => `SELECT ${LINE_COLUMNS} ${among(batch)(sql)}`)).map(toLine);
  const recovered = known.filter((line) => line.recovered === true);
  const written = new Set(known.filter((line) => line.recovered !== true).map(({ requestId }) => requestId));
  const lines = isRetry ? batch.filter(({ requestId }) => !written.has(requestId)) : batch;
  if (recovered.length > 0) yield* ask(dialect, (sql) => `DELETE ${among(recovered)(sql)}`);
  yield* inserting(dialect, lines, [...usageOfLines(lines), ...usageOfLines(recovered).map(takenBack)]);
}

/** Writes the missing lines of one page of charges. */
export function* recovering(
  dialect: SqlDialect,
  task: RecoveryTask,
): SqlProgram<{ readonly recovered: number; readonly nextSequence: number | null }> {
  yield* lock(dialect, LOCK);
  const { lines, nextSequence } = yield* recoverLines(dialect, task);
  if (lines.length > 0) yield* inserting(dialect, lines, usageOfLines(lines));
  return { recovered: lines.length, nextSequence };
}

function* inserting(dialect: SqlDialect, lines: readonly SealedLine[], usage: readonly UsageDelta[]): SqlProgram<void> {
  yield* ask(dialect, (sql) => insertLines(dialect, sql.put(linesJson(lines))));
  yield* ask(dialect, (sql) => insertUsage(dialect, sql.put(usageJson(usage))));
}

/** Returns the delta that undoes a recovered line in the sums: one request and its latency. */
function takenBack(delta: UsageDelta): UsageDelta {
  const latencies = delta.latencies.map((count) => -count);
  return { ...delta, requests: -delta.requests, latencyMsSum: -delta.latencyMsSum, latencies };
}

function insertInto(dialect: SqlDialect, mark: string, table: string, columns: readonly string[]): string {
  const list = columns.join(', ');
  return `INSERT INTO ${table} (${list}) SELECT ${list} FROM ${dialect.tableRowsOf(mark, 'came', table, columns)}`;
}

/** Replaces characters that PostgreSQL cannot store, which a client may put into a model name and which would block the whole batch. */
function rowsJson(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const named = rows.map((values) => Object.fromEntries(columns.map((column, index) => [column, values[index]])));
  return JSON.stringify(named, (_name, value) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storable(value) : value;
  });
}

function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : (toStorable(text) ?? '');
}
