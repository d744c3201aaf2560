import type pg from 'pg';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import { ledgerProblems } from '../shared/ledger-problems.ts';
import { amount, type LedgerCheck, poolOf, text, verifyingLedger } from '../sql/ledger/verify.ts';
import { runWaiting, type SqlRow, type Statement } from '../sql/program.ts';
import { awayOrOwn } from './connection.ts';

/** Replaces the pool's timeout, which is meant for statements that read a few rows. */
const TIMEOUT_MS = 3_600_000;

/** Leased amounts must equal the leases of nodes, which are rows here, plus open holds. */
const LEASES: LedgerCheck = {
  sql: `
    WITH
      kept AS (
        SELECT account_id, key_id, amount_nano FROM leases
        UNION ALL SELECT account_id, '', from_balance_nano FROM holds WHERE state = 'open' AND from_balance_nano > 0
        UNION ALL SELECT account_id, key_id, from_limit_nano FROM holds WHERE state = 'open' AND from_limit_nano > 0
      ),
      held AS (SELECT account_id, key_id, sum(amount_nano) AS held FROM kept GROUP BY account_id, key_id),
      counted AS (
        SELECT account_id, '' AS key_id, leased_nano FROM balances
        UNION ALL SELECT account_id, key_id, leased_nano FROM key_spending
      )
    SELECT account_id, key_id, coalesce(leased_nano, 0) AS leased, coalesce(held, 0) AS held
    FROM counted FULL JOIN held USING (account_id, key_id)
    WHERE coalesce(leased_nano, 0) <> coalesce(held, 0)
    ORDER BY account_id, key_id
  `,
  tell: (row) =>
    ledgerProblems.nodeLeases(text(row.account_id), text(row.key_id) || null, amount(row.leased), amount(row.held)),
};

/** Checks the same for budgets. */
const BUDGET_LEASES: LedgerCheck = {
  sql: `
    WITH
      kept AS (
        SELECT account_id, key_id, starts_at_ms, ends_at_ms, amount_nano FROM budget_leases
        UNION ALL
        SELECT holds.account_id, part.key_id, part.starts_at_ms, part.ends_at_ms, part.held_nano
        FROM holds, jsonb_to_recordset(holds.budgets::jsonb)
          AS part (key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint)
        WHERE holds.state = 'open' AND holds.budgets IS NOT NULL
      ),
      held AS (
        SELECT account_id, key_id, starts_at_ms, ends_at_ms, sum(amount_nano) AS held FROM kept
        WHERE amount_nano > 0 GROUP BY 1, 2, 3, 4
      )
    SELECT account_id, key_id, starts_at_ms, ends_at_ms, coalesce(leased_nano, 0) AS leased, coalesce(held, 0) AS held
    FROM budget_spending FULL JOIN held USING (account_id, key_id, starts_at_ms, ends_at_ms)
    WHERE coalesce(leased_nano, 0) <> coalesce(held, 0)
    ORDER BY account_id, key_id, starts_at_ms
  `,
  tell: (row) => ledgerProblems.budgetLeases(poolOf(row), amount(row.leased), amount(row.held)),
};

/** The checks that the other database does differently. */
export const LEDGER_CHECKS: readonly LedgerCheck[] = [LEASES, BUDGET_LEASES];

/** Verifies one snapshot of the ledger while gateways keep running. */
export async function verifyLedger(pool: pg.Pool): Promise<LedgerReport> {
  const client = await pool.connect().catch((error) => {
    throw awayOrOwn(error);
  });
  try {
    await client.query(`begin isolation level repeatable read read only; set local statement_timeout = ${TIMEOUT_MS}`);
    return await runWaiting(verifyingLedger(LEDGER_CHECKS), async ({ sql }: Statement) => {
      const query: pg.QueryConfig & { readonly query_timeout: number } = { text: sql, query_timeout: TIMEOUT_MS };
      return (await client.query<SqlRow>(query)).rows;
    });
  } catch (error) {
    throw awayOrOwn(error);
  } finally {
    // Nothing was changed, so the transaction may end with the connection.
    client.release(true);
  }
}
