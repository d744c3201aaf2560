import { requestIdOfTrace } from '../../../domain/trace/span-ids.ts';
import type { LogPlace } from '../../../engine/ports/request-log.ts';
import type { SealedLine } from '../../shared/tables/sealed-failure.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { FIND_WITHIN_MS, LINE_COLUMNS, timeOfRequestId, toLine } from './lines.ts';

/*
 * Finds lines by an id of the client or by their trace. An index of all ids would touch another page for each line, which costs more than
 * the line. The index is therefore by block of lines and then by id: new lines touch the few pages of their block, and a search looks the id
 * up once in each block (docs/decisions/043-ids-of-requests.md).
 */

/** The id to find: exactly one of them. */
export type WantedId = { readonly clientRequestId: string } | { readonly traceId: string };

export interface IdentityPageTask {
  readonly wanted: WantedId;
  /** Further conditions. */
  readonly conditions: (sql: Values) => readonly string[];
  /** Lines from this number on have been searched; `null` for none. */
  readonly beforeId: number | null;
  readonly limit: number;
  /** When the page must end, by `performance.now()`. */
  readonly endsAt: number;
}

/** The blocks of one statement. A look-up takes a few microseconds. */
const MOST_BLOCKS = 64;
/** The most lines whose other conditions one statement checks. */
const MOST_CANDIDATES = 2_000;

/** Two look-ups: a single SELECT of both would read all lines on SQLite. */
const ENDS = `
  SELECT (SELECT min(id) FROM request_log) AS lowest, (SELECT max(id) FROM request_log) AS highest
`;

/** Reads lines in descending order of their numbers, which is nearly that of their times. */
export function* identityPage(
  dialect: SqlDialect,
  task: IdentityPageTask,
): SqlProgram<{ readonly records: readonly SealedLine[]; readonly next: LogPlace | null }> {
  const [ends] = yield* ask(dialect, () => ENDS);
  if (ends?.highest == null) return { records: [], next: null };
  const { linesPerBlock } = dialect;
  const { wanted, limit, endsAt } = task;
  const own = 'traceId' in wanted ? yield* ownLine(dialect, wanted.traceId) : null;
  const bottom = Math.floor(Number(ends.lowest) / linesPerBlock);
  let beforeId = Math.min(task.beforeId ?? Number.POSITIVE_INFINITY, Number(ends.highest) + 1);
  let blocks = 1;
  const found: SqlRow[] = [];
  for (;;) {
    const top = Math.floor((beforeId - 1) / linesPerBlock);
    if (top < bottom || beforeId <= 0) return { records: found.map(toLine), next: null };
    const last = Math.max(bottom, top - blocks + 1);
    const ids = yield* candidates(dialect, task, { top, last, beforeId });
    // Many lines have this id: they are searched block by block.
    if (ids.length > MOST_CANDIDATES && blocks > 1) {
      blocks = 1;
      continue;
    }
    if (own !== null && own < beforeId && own >= last * linesPerBlock) ids.push(own);
    const newest = ids.sort((a, b) => b - a).slice(0, MOST_CANDIDATES);
    found.push(...(yield* matching(dialect, task, newest, limit + 1 - found.length)));
    if (found.length > limit) return cut(found, limit);
    beforeId = ids.length > newest.length ? (newest.at(-1) ?? 0) : last * linesPerBlock;
    blocks = Math.min(MOST_BLOCKS, blocks * 2);
    if (performance.now() > endsAt && beforeId > bottom * linesPerBlock) {
      return { records: found.map(toLine), next: { atMs: 0, id: beforeId } };
    }
  }
}

interface Part {
  readonly top: number;
  readonly last: number;
  readonly beforeId: number;
}

/** Returns the numbers of lines with the id in these blocks. If there are too many in several blocks, only some of them. */
function* candidates(dialect: SqlDialect, { wanted }: IdentityPageTask, part: Part): SqlProgram<number[]> {
  const { top, last, beforeId } = part;
  const blocks = Array.from({ length: top - last + 1 }, (_, index) => top - index);
  const rows = yield* ask(dialect, (sql) => {
    const conditions = [
      // Written as in the indexes on this expression.
      `(id / ${dialect.linesPerBlock}) ${dialect.inList(sql.put(JSON.stringify(blocks)), 'bigint')}`,
      'clientRequestId' in wanted
        ? `client_request_id = ${sql.put(wanted.clientRequestId)}`
        : `trace_id = ${sql.put(wanted.traceId)}`,
      `id < ${sql.put(beforeId)}`,
    ];
    const bound = blocks.length > 1 ? ` LIMIT ${MOST_CANDIDATES + 1}` : '';
    return `SELECT id FROM request_log WHERE ${conditions.join(' AND ')}${bound}`;
  });
  return rows.map(({ id }) => Number(id));
}

/** Returns those of the lines that meet the other conditions, in descending order. */
function* matching(
  dialect: SqlDialect,
  task: IdentityPageTask,
  ids: readonly number[],
  limit: number,
): SqlProgram<readonly SqlRow[]> {
  if (ids.length === 0) return [];
  return yield* ask(dialect, (sql) => {
    const conditions = [`id ${dialect.inList(sql.put(JSON.stringify(ids)), 'bigint')}`, ...task.conditions(sql)];
    return `
      SELECT ${LINE_COLUMNS}, id AS line_id FROM request_log WHERE ${conditions.join(' AND ')}
      ORDER BY id DESC LIMIT ${sql.put(limit)}
    `;
  });
}

/** Returns the number of the line of the request that the gateway named the trace after, which stores no trace id; `null` if there is none. */
function* ownLine(dialect: SqlDialect, traceId: string): SqlProgram<number | null> {
  const requestId = requestIdOfTrace(traceId);
  const atMs = requestId === null ? null : timeOfRequestId(requestId);
  if (requestId === null || atMs === null) return null;
  for (const within of FIND_WITHIN_MS) {
    const [row] = yield* ask(
      dialect,
      (sql) => `
        SELECT ${LINE_COLUMNS}, id AS line_id FROM request_log
        WHERE at_ms >= ${sql.put(atMs - within)} AND at_ms <= ${sql.put(atMs + within)}
          AND request_id = ${sql.put(requestId)} ORDER BY id DESC LIMIT 1
      `,
    );
    if (row !== undefined) return toLine(row).traceId === traceId ? Number(row.line_id) : null;
  }
  return null;
}

function cut(found: readonly SqlRow[], limit: number): { readonly records: SealedLine[]; readonly next: LogPlace } {
  const rows = found.slice(0, limit);
  return { records: rows.map(toLine), next: { atMs: 0, id: Number(rows.at(-1)?.line_id) } };
}
