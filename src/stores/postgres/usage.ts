import type { Pool } from 'pg';
import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { rollStatement, type SumRow, sumStatement, sumsOf } from '../shared/usage-statements.ts';
import { inTransaction, query, snapshot } from './connection.ts';
import { POSTGRES_SUMS } from './sum-dialect.ts';

/** Any number that no other advisory lock has: the letters of "usages" as bytes. */
const ROLLER_LOCK = 0x75_73_61_67_65_73n;

const ROLL = `
  WITH taken AS (
    DELETE FROM usage_deltas WHERE id IN (SELECT id FROM usage_deltas ORDER BY id LIMIT $1) RETURNING *
  ), moved AS (${rollStatement('taken', 'true')})
  SELECT count(*) AS found FROM taken
`;

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
    const { sql, values } = sumStatement(of, POSTGRES_SUMS);
    const { rows } = await query<SumRow>(this.#reading, sql, values);
    return sumsOf(rows, of);
  }

  async sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    const statements = queries.map((of) => sumStatement(of, POSTGRES_SUMS));
    const rows = await snapshot(this.#reading, statements);
    return queries.map((of, index) => sumsOf((rows[index] ?? []) as readonly SumRow[], of)); // As the statements say.
  }
}
