import type { Pool } from 'pg';
import type { RolledUp, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { usageSums } from '../shared/dearest-accounts.ts';
import { rollStatement } from '../shared/usage-statements.ts';
import { runWaiting, type SqlRow } from '../sql/program.ts';
import { inTransaction, type Session } from './connection.ts';
import { POSTGRES_SUMS } from './sum-dialect.ts';

/** Any number that no other advisory lock has: the letters of "usages" as bytes. */
export const ROLLER_LOCK = 0x75_73_61_67_65_73n;

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

  async sum(query: UsageQuery): Promise<readonly UsageSum[]> {
    const [sums = []] = await this.sums([query]);
    return sums;
  }

  sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    const work = async (session: Session) => {
      const sums: (readonly UsageSum[])[] = [];
      for (const query of queries) {
        const program = usageSums(query, POSTGRES_SUMS);
        sums.push(
          await runWaiting(program, async ({ sql, values }) => (await session.query<SqlRow>(sql, values)).rows),
        );
      }
      return sums;
    };
    return inTransaction(this.#reading, work, 'REPEATABLE READ');
  }
}
