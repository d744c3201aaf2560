import type { Pool } from 'pg';
import type { RolledUp } from '../../engine/ports/usage-store.ts';
import { DIMENSION_COLUMNS, LATENCY_COLUMNS, MEASURE_COLUMNS } from '../shared/tables/usage.ts';
import { ROLL_UP_LOCK } from '../sql/program.ts';
import { rollStatement } from '../sql/usage/sum-statements.ts';
import { inTransaction } from './connection.ts';

/** Most rows are of a few busy accounts and merge, and unlike in SQLite nobody waits for a batch. */
const ROWS_PER_UNRELATED_ROW = 10;

const PLACE = DIMENSION_COLUMNS.join(', ');
const ADDED_UP = [...MEASURE_COLUMNS, ...LATENCY_COLUMNS]
  .map((column) => `sum(${column})::bigint AS ${column}`)
  .join(', ');
/** Merges the rows of a place and minute first, since each row is then added to six sums. */
const ROLL = `
  WITH taken AS (
    DELETE FROM usage_deltas WHERE id IN (SELECT id FROM usage_deltas ORDER BY id LIMIT $1) RETURNING *
  ), merged AS (
    SELECT at_ms - at_ms % 60000 AS at_ms, ${PLACE}, ${ADDED_UP}, max(latency_ms_max) AS latency_ms_max
    FROM taken GROUP BY 1, ${PLACE}
  ), moved AS (${rollStatement('merged', 'true')})
  SELECT count(*) AS found FROM taken
`;

/** Rolls up the deltas of charges and log lines. Only one node does so at a time. */
export class PostgresUsageRoller {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** See `UsageStore.roll`. */
  async roll(limit: number): Promise<RolledUp> {
    const most = limit * ROWS_PER_UNRELATED_ROW;
    return inTransaction(this.#pool, async (session) => {
      const lock = 'SELECT pg_try_advisory_xact_lock($1) AS mine';
      const { rows: locks } = await session.query<{ mine: boolean }>(lock, [ROLL_UP_LOCK]);
      if (locks[0]?.mine !== true) return { moved: 0, isMore: false };
      const { rows } = await session.query<{ found: bigint }>(ROLL, [most]);
      const moved = Number(rows[0]?.found ?? 0n);
      return { moved, isMore: moved === most };
    });
  }
}
