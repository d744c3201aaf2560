import type { WrittenLine, WrittenPlace } from '../../../engine/ports/request-log.ts';
import { fromRequestLogRow, REQUEST_LOG_COLUMNS, type RequestLogRow } from '../../shared/tables/request-log.ts';
import type { SealedLine } from '../../shared/tables/sealed-failure.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow } from '../program.ts';
import { toLimit } from '../texts.ts';

/** The columns that `toLine` reads. The cost is read as digits, since a number loses precision beyond 2^53. */
export const LINE_COLUMNS = REQUEST_LOG_COLUMNS.map((column) =>
  column === 'cost_nano' ? 'CAST(cost_nano AS text) AS cost_nano' : column,
).join(', ');

const SELECT = `SELECT ${LINE_COLUMNS}, id AS line_id FROM request_log`;

/** How far around its time a line is searched. The first range nearly always suffices; the second covers clock adjustments. */
export const FIND_WITHIN_MS = [250, 60_000] as const;

/** Integers may be `bigint`: only the cost exceeds 2^53. */
export function toLine(row: SqlRow): SealedLine {
  const numbers = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]);
  return fromRequestLogRow(Object.fromEntries(numbers) as RequestLogRow); // The columns in `LINE_COLUMNS`.
}

/** Returns the time encoded in a request id (UUID version 7), in milliseconds since 1970; `null` for other ids. */
export function timeOfRequestId(requestId: string): number | null {
  const hex = /^req_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(requestId);
  return hex === null ? null : Number.parseInt(`${hex[1]}${hex[2]}`, 16);
}

export function* recentLines(dialect: SqlDialect, limit: number): SqlProgram<readonly SealedLine[]> {
  const rows = yield* ask(dialect, (sql) => `${SELECT} ORDER BY at_ms DESC, id DESC LIMIT ${sql.put(toLimit(limit))}`);
  return rows.map(toLine);
}

export function* findLine(dialect: SqlDialect, requestId: string): SqlProgram<SealedLine | null> {
  const atMs = timeOfRequestId(requestId);
  if (atMs === null) return null;
  for (const within of FIND_WITHIN_MS) {
    const [row] = yield* ask(
      dialect,
      (sql) => `
        ${SELECT} WHERE at_ms >= ${sql.put(atMs - within)} AND at_ms <= ${sql.put(atMs + within)}
          AND request_id = ${sql.put(requestId)} ORDER BY at_ms DESC, id DESC LIMIT 1
      `,
    );
    if (row !== undefined) return toLine(row);
  }
  return null;
}

/** Lines written by several nodes become visible in any order, so those that were missing may have appeared since. */
export function* writtenLines(
  dialect: SqlDialect,
  { topId, missing }: WrittenPlace,
  limit: number,
): SqlProgram<readonly WrittenLine[]> {
  const late =
    missing.length === 0
      ? []
      : yield* ask(
          dialect,
          (sql) => `${SELECT} WHERE id ${dialect.inList(sql.put(JSON.stringify(missing)), 'bigint')} ORDER BY id`,
        );
  const rows = yield* ask(
    dialect,
    (sql) => `${SELECT} WHERE id > ${sql.put(topId)} ORDER BY id LIMIT ${sql.put(limit)}`,
  );
  return [...late, ...rows].map((row) => ({ id: Number(row.line_id), record: toLine(row) }));
}

export function* lastWritten(dialect: SqlDialect, limit: number): SqlProgram<readonly number[]> {
  const rows = yield* ask(dialect, (sql) => `SELECT id FROM request_log ORDER BY id DESC LIMIT ${sql.put(limit)}`);
  return rows.map(({ id }) => Number(id));
}
