import type { Pool } from 'pg';
import type { RolledUp } from '../../engine/ports/usage-store.ts';
import { ROLL_UP_LOCK } from '../sql/program.ts';
import { rollStatement } from '../sql/usage/sum-statements.ts';
import { inTransaction } from './connection.ts';

const ROLL = `
  WITH taken AS (
    DELETE FROM usage_deltas WHERE id IN (SELECT id FROM usage_deltas ORDER BY id LIMIT $1) RETURNING *
  ), moved AS (${rollStatement('taken', 'true')})
  SELECT count(*) AS found FROM taken
`;

/** Rolls up the deltas of charges and log lines. Only one node does so at a time. */
export class PostgresUsageRoller {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async roll(limit: number): Promise<RolledUp> {
    return inTransaction(this.#pool, async (session) => {
      const lock = 'SELECT pg_try_advisory_xact_lock($1) AS mine';
      const { rows: locks } = await session.query<{ mine: boolean }>(lock, [ROLL_UP_LOCK]);
      if (locks[0]?.mine !== true) return { moved: 0, isMore: false };
      const { rows } = await session.query<{ found: bigint }>(ROLL, [limit]);
      const moved = Number(rows[0]?.found ?? 0n);
      return { moved, isMore: moved === limit };
    });
  }
}
