import type { Pool } from 'pg';
import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { rollStatement, type SumDialect, type SumRow, sumStatement, sumsOf } from '../shared/usage-statements.ts';
import { inTransaction, query } from './connection.ts';

/** Any number that no other advisory lock has: the letters of "usages" as bytes. */
const ROLLER_LOCK = 0x75_73_61_67_65_73n;

const ROLL = `
  WITH taken AS (
    DELETE FROM usage_deltas WHERE id IN (SELECT id FROM usage_deltas ORDER BY id LIMIT $1) RETURNING *
  ), moved AS (${rollStatement('taken', 'true')})
  SELECT count(*) AS found FROM taken
`;

const DIALECT: SumDialect = {
  mark: '$',
  segments: (list) =>
    `(SELECT (value ->> 0)::bigint AS place, value ->> 1 AS level, (value ->> 2)::bigint AS from_ms, (value ->> 3)::bigint AS to_ms
      FROM json_array_elements(${list}::json))`,
  accounts: (list) => `(SELECT value AS id FROM json_array_elements_text(${list}::json))`,
  // OFFSET keeps the planner from joining in another way: a plan that was made while the table was small reads all of it.
  joined: (segments, accounts, condition) =>
    `FROM ${segments} AS segments CROSS JOIN ${accounts} AS accounts
      CROSS JOIN LATERAL (SELECT * FROM usage_rollups WHERE ${condition} OFFSET 0) AS sums`,
  integer: (expression) => `(${expression})::bigint`,
};

export class PostgresUsage implements UsageStore {
  readonly #pool: Pool;
  readonly #reading: Pool;

  constructor({ pool, reading }: { readonly pool: Pool; readonly reading: Pool }) {
    this.#pool = pool;
    this.#reading = reading;
  }

  async roll(limit: number): Promise<RolledUp> {
    return inTransaction(this.#pool, async (session) => {
      const { rows: locks } = await session.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
        ROLLER_LOCK,
      ]);
      if (locks[0]?.mine !== true) return { moved: 0, isMore: false };
      const { rows } = await session.query<{ found: bigint }>(ROLL, [limit]);
      const moved = Number(rows[0]?.found ?? 0n);
      return { moved, isMore: moved === limit };
    });
  }

  async sum(of: UsageQuery): Promise<readonly UsageSum[]> {
    const { sql, values } = sumStatement(of, DIALECT);
    const { rows } = await query<SumRow>(this.#reading, sql, values);
    return sumsOf(rows, of);
  }
}
