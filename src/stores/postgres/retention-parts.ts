import type { Pool } from 'pg';
import type { RetentionParts } from '../sql/retention.ts';
import { inTransaction, query, type Session } from './connection.ts';

const CLAIM = `
  INSERT INTO retention_leader AS leader (one, holder, until_ms) VALUES (1, $1, $3)
  ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
  WHERE leader.holder = excluded.holder OR leader.until_ms <= $2
`;

const WEEK_MS = 7 * 86_400_000;
/** 1970 began on a Thursday, and weeks begin on Mondays (UTC). */
const FIRST_MONDAY_MS = 4 * 86_400_000;
/** The number of weeks created in advance. A gateway must run at least once in this time. */
const WEEKS_AHEAD = 2;
/** A pending lock request blocks writes, so it is abandoned quickly and retried an hour later. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '500ms'";

export interface LogPartition {
  readonly table: string;
  /** Milliseconds since 1970, like all times; `null` if there is no lower bound. */
  readonly fromMs: number | null;
  /** `null` for the partition of lines that belong to no other. */
  readonly toMs: number | null;
}

const PARTITIONS = `
  SELECT relname AS table_name, pg_get_expr(relpartbound, pg_class.oid) AS bounds
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'request_log'::regclass ORDER BY relname
`;

/** Only one node deletes. Weekly lines of the log are dropped with their partition. */
export function retentionParts(pool: Pool): RetentionParts {
  return {
    async claim(holder, nowMs, untilMs) {
      const { rowCount } = await query(pool, CLAIM, [holder, Math.floor(nowMs), Math.floor(untilMs)]);
      return rowCount === 1;
    },
    async release(holder) {
      await query(pool, 'DELETE FROM retention_leader WHERE holder = $1', [holder]);
    },
    tendLog: (nowMs, beforeMs) => tendLogPartitions(pool, Math.floor(nowMs), Math.floor(beforeMs)),
    logTables: async () => (await logPartitions(pool)).filter(isMixed).map(({ table }) => table),
  };
}

export async function logPartitions(pool: Pool): Promise<readonly LogPartition[]> {
  const { rows } = await query<{ readonly table_name: string; readonly bounds: string }>(pool, PARTITIONS);
  return rows.map(({ table_name: table, bounds }) => {
    const [, from, to] = /FROM \('?(MINVALUE|[\d.e+]+)'?\) TO \('?([\d.e+]+)'?\)/.exec(bounds) ?? [];
    const fromMs = from === undefined || from === 'MINVALUE' ? null : Number(from);
    return { table, fromMs, toMs: to === undefined ? null : Number(to) };
  });
}

/** Whether lines of the partition are deleted individually, since they span more than one week. */
function isMixed({ fromMs }: LogPartition): boolean {
  return fromMs === null;
}

/** Creates the partitions of this week and the next ones, and drops those whose lines are all older than `beforeMs`. */
export async function tendLogPartitions(pool: Pool, nowMs: number, beforeMs: number): Promise<void> {
  const partitions = await logPartitions(pool);
  const thisWeekMs = Math.floor((nowMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  for (let ahead = 0; ahead <= WEEKS_AHEAD; ahead++) {
    const weekMs = thisWeekMs + ahead * WEEK_MS;
    const isThere = partitions.some(({ fromMs, toMs }) => toMs !== null && (fromMs ?? 0) <= weekMs && weekMs < toMs);
    if (!isThere) await inTransaction(pool, (session) => addWeek(session, weekMs));
  }
  for (const { table, toMs } of partitions) {
    if (toMs === null || toMs > beforeMs) continue;
    await inTransaction(pool, async (session) => {
      await session.query(LOCK_TIMEOUT);
      await session.query(`DROP TABLE ${table}`);
    });
  }
}

/** Creates the partition of a week, and moves its earlier lines from `request_log_rest`. */
async function addWeek(session: Session, fromMs: number): Promise<void> {
  const toMs = fromMs + WEEK_MS;
  const table = `request_log_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  await session.query(LOCK_TIMEOUT);
  await session.query(`CREATE TABLE ${table} (LIKE request_log INCLUDING DEFAULTS)`);
  await session.query('LOCK TABLE request_log_rest IN ACCESS EXCLUSIVE MODE');
  await session.query(`
    WITH moved AS (DELETE FROM request_log_rest WHERE at_ms >= ${fromMs} AND at_ms < ${toMs} RETURNING *)
    INSERT INTO ${table} SELECT * FROM moved
  `);
  await session.query(`ALTER TABLE request_log ATTACH PARTITION ${table} FOR VALUES FROM (${fromMs}) TO (${toMs})`);
}
