import type { Database } from 'bun:sqlite';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import { ledgerProblems } from '../shared/ledger-problems.ts';
import { amount, type LedgerCheck, nullableText, poolOf, text, verifyingLedger } from '../sql/ledger/verify.ts';
import { runAtOnce } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { inTransaction } from './connection.ts';

/** The amounts of open holds must be reserved in the spending pools. Leases for requests are in memory only. */
const HOLDS_NOT_KEPT: LedgerCheck = {
  sql: `
    WITH held AS (
      SELECT account_id, NULL AS key_id, sum(from_balance_nano) AS total FROM holds WHERE state = 'open' GROUP BY account_id
      UNION ALL
      SELECT account_id, key_id, sum(from_limit_nano) FROM holds
      WHERE state = 'open' AND from_limit_nano IS NOT NULL GROUP BY account_id, key_id
    )
    SELECT held.account_id, held.key_id, total, coalesce(of_key.leased_nano, of_account.leased_nano, 0) AS kept
    FROM held
      LEFT JOIN balances AS of_account ON held.key_id IS NULL AND of_account.account_id = held.account_id
      LEFT JOIN key_spending AS of_key ON of_key.account_id = held.account_id AND of_key.key_id = held.key_id
    WHERE total > kept
    ORDER BY held.account_id
  `,
  tell: (row) =>
    ledgerProblems.holdNotKept(text(row.account_id), nullableText(row.key_id), amount(row.kept), amount(row.total)),
};

/** Checks the same for budgets. */
const BUDGETS_NOT_KEPT: LedgerCheck = {
  sql: `
    WITH held AS (
      SELECT account_id, part.value ->> 'key_id' AS key_id, part.value ->> 'starts_at_ms' AS starts_at_ms,
        part.value ->> 'ends_at_ms' AS ends_at_ms, sum(cast(part.value ->> 'held_nano' AS integer)) AS total
      FROM holds, json_each(holds.budgets) AS part WHERE state = 'open' GROUP BY 1, 2, 3, 4
    )
    SELECT account_id, key_id, starts_at_ms, ends_at_ms, total, coalesce(leased_nano, 0) AS kept
    FROM held LEFT JOIN budget_spending USING (account_id, key_id, starts_at_ms, ends_at_ms)
    WHERE total > coalesce(leased_nano, 0) ORDER BY account_id, key_id
  `,
  tell: (row) => ledgerProblems.budgetHolds(poolOf(row), amount(row.kept), amount(row.total)),
};

/** The checks that the other database does differently. */
export const LEDGER_CHECKS: readonly LedgerCheck[] = [HOLDS_NOT_KEPT, BUDGETS_NOT_KEPT];

/**
 * Verifies one snapshot of the ledger, whatever a gateway writes meanwhile. Must run in a thread that serves no requests.
 *
 * @param database a connection that returns integers as `bigint`
 */
export function verifyLedger(database: Database): LedgerReport {
  return inTransaction(database, 'DEFERRED', () =>
    runAtOnce(verifyingLedger(LEDGER_CHECKS), (statement) => runStatement(database, statement)),
  );
}
