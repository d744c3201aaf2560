import type { Database } from 'bun:sqlite';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import { ledgerProblems, toldProblems } from '../shared/ledger-problems.ts';
import type { BudgetSpendingRow } from '../shared/tables/budget-spending.ts';
import { fromBudgetPlace } from '../shared/tables/budget-spending.ts';
import { inTransaction } from './connection.ts';

/** Nobody reads more; of so many problems the cause is one. */
const MAX_ROWS = 10_000;

/** Charges from before this may be in archives. */
const HORIZON = '(SELECT coalesce(max(before_ms), 0) FROM ledger_checkpoints)';

const COUNTS = `
  SELECT
    (SELECT count(*) FROM balances) AS accounts,
    (SELECT count(*) FROM ledger_entries) AS entries,
    (SELECT count(*) FROM ledger_entries WHERE kind = 'charge') AS charges,
    (SELECT coalesce(sum(entries), 0) FROM ledger_archived) AS archived
`;

const BALANCES = `
  WITH
    parts AS (SELECT account_id, amount_nano FROM ledger_entries UNION ALL SELECT account_id, amount_nano FROM ledger_archived),
    sums AS (SELECT account_id, sum(amount_nano) AS total FROM parts GROUP BY account_id),
    ids AS (SELECT account_id FROM sums UNION SELECT account_id FROM balances)
  SELECT account_id, coalesce(balance_nano, 0) AS kept, coalesce(total, 0) AS total
  FROM ids LEFT JOIN balances USING (account_id) LEFT JOIN sums USING (account_id)
  WHERE coalesce(balance_nano, 0) <> coalesce(total, 0)
  ORDER BY account_id LIMIT ${MAX_ROWS}
`;

const SPENDING = `
  WITH
    parts AS (
      SELECT account_id, key_id, amount_nano FROM ledger_entries WHERE kind = 'charge' AND key_id IS NOT NULL
      UNION ALL SELECT account_id, key_id, amount_nano FROM ledger_archived WHERE key_id <> ''
    ),
    sums AS (SELECT account_id, key_id, -sum(amount_nano) AS total FROM parts GROUP BY account_id, key_id),
    ids AS (SELECT account_id, key_id FROM sums UNION SELECT account_id, key_id FROM key_spending)
  SELECT account_id, key_id, coalesce(spent_nano, 0) AS kept, coalesce(total, 0) AS total
  FROM ids LEFT JOIN key_spending USING (account_id, key_id) LEFT JOIN sums USING (account_id, key_id)
  WHERE coalesce(spent_nano, 0) <> coalesce(total, 0)
  ORDER BY account_id, key_id LIMIT ${MAX_ROWS}
`;

/** Every charge counts in all periods that it belongs to, if there is a row for them. */
const BUDGETS = `
  SELECT * FROM (
    SELECT account_id, key_id, starts_at_ms, ends_at_ms, spent_nano AS kept, (
      SELECT coalesce(-sum(amount_nano), 0) FROM ledger_entries AS charge
      WHERE charge.account_id = period.account_id AND kind = 'charge'
        AND (period.key_id = '' OR charge.key_id = period.key_id)
        AND coalesce(counted_at_ms, at_ms) >= starts_at_ms AND coalesce(counted_at_ms, at_ms) < ends_at_ms
    ) AS total
    FROM budget_spending AS period WHERE starts_at_ms >= ${HORIZON}
  )
  WHERE kept <> total ORDER BY account_id, key_id LIMIT ${MAX_ROWS}
`;

/** What open holds have put aside of budgets. */
const BUDGETS_NOT_KEPT = `
  WITH held AS (
    SELECT account_id, part.value ->> 'key_id' AS key_id, part.value ->> 'starts_at_ms' AS starts_at_ms,
      part.value ->> 'ends_at_ms' AS ends_at_ms, sum(cast(part.value ->> 'held_nano' AS integer)) AS total
    FROM holds, json_each(holds.budgets) AS part WHERE state = 'open' GROUP BY 1, 2, 3, 4
  )
  SELECT account_id, key_id, starts_at_ms, ends_at_ms, total, coalesce(leased_nano, 0) AS kept
  FROM held LEFT JOIN budget_spending USING (account_id, key_id, starts_at_ms, ends_at_ms)
  WHERE total > coalesce(leased_nano, 0) ORDER BY account_id, key_id LIMIT ${MAX_ROWS}
`;

const PREPAID = `
  SELECT account_id, balance_nano, leased_nano FROM balances JOIN accounts ON id = account_id
  WHERE billing = 'prepaid' AND (balance_nano < 0 OR leased_nano > balance_nano)
  ORDER BY account_id LIMIT ${MAX_ROWS}
`;

const CHARGED_TWICE = `
  SELECT request_id, min(account_id) AS account_id, count(*) AS charges FROM ledger_entries
  WHERE kind = 'charge' GROUP BY request_id HAVING count(*) > 1
  ORDER BY request_id LIMIT ${MAX_ROWS}
`;

const MALFORMED = `
  SELECT sequence, account_id FROM ledger_entries
  WHERE CASE kind
    WHEN 'charge' THEN amount_nano > 0 OR idempotency_key IS NOT 'charge:' || request_id
    WHEN 'adjustment' THEN 0
    ELSE amount_nano < 0
  END
  ORDER BY sequence LIMIT ${MAX_ROWS}
`;

/**
 * A charge without a line is none of these: the log does not wait for the disk, so a crash may lose its last lines. Nor is a
 * line without a charge whose request cost nothing: nothing is written then.
 */
const LOG = `
  SELECT
    line.request_id, line.account_id, line.key_id, line.cost_nano,
    -charge.amount_nano AS charged_nano, charge.account_id AS charged_account_id, charge.key_id AS charged_key_id
  FROM request_log AS line LEFT JOIN ledger_entries AS charge ON charge.idempotency_key = 'charge:' || line.request_id
  WHERE line.cost_nano IS NOT NULL AND line.at_ms >= ${HORIZON} AND (
    CASE WHEN charge.sequence IS NULL THEN line.cost_nano <> 0 ELSE
      -charge.amount_nano <> line.cost_nano
      OR charge.account_id IS NOT line.account_id OR charge.key_id IS NOT line.key_id
    END
  )
  ORDER BY line.id LIMIT ${MAX_ROWS}
`;

/** What open holds have put aside has to be kept from others. */
const HOLDS_NOT_KEPT = `
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
  ORDER BY held.account_id LIMIT ${MAX_ROWS}
`;

/** A hold is charged once it is settled, and what it says; until then, and where it was released, nothing. */
const HOLD_CHARGES = `
  SELECT hold_id, holds.account_id, state, charged_nano, coalesce(-charge.amount_nano, 0) AS booked_nano
  FROM holds LEFT JOIN ledger_entries AS charge ON charge.idempotency_key = 'charge:' || hold_id
  WHERE (state = 'open' OR closed_at_ms >= ${HORIZON}) AND (
    charged_nano <> coalesce(-charge.amount_nano, 0)
    OR charge.account_id <> holds.account_id OR (charge.sequence IS NOT NULL AND charge.key_id IS NOT holds.key_id)
  )
  ORDER BY hold_id LIMIT ${MAX_ROWS}
`;

interface HeldRow extends KeptRow {
  readonly key_id: string | null;
}

interface HoldChargeRow {
  readonly hold_id: string;
  readonly account_id: string;
  readonly state: string;
  readonly charged_nano: bigint;
  readonly booked_nano: bigint;
}

interface KeptRow {
  readonly account_id: string;
  readonly kept: bigint;
  readonly total: bigint;
}

type BudgetRow = KeptRow & Omit<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>;

interface PrepaidRow {
  readonly account_id: string;
  readonly balance_nano: bigint;
  readonly leased_nano: bigint;
}

interface LogRow {
  readonly request_id: string;
  readonly account_id: string | null;
  readonly key_id: string | null;
  readonly cost_nano: bigint;
  /** NULL where there is no charge, as the account then. */
  readonly charged_nano: bigint | null;
  readonly charged_account_id: string | null;
  readonly charged_key_id: string | null;
}

/**
 * Adds up the books of one moment, whatever a gateway writes meanwhile. With a million entries that takes seconds, so it is for a
 * thread that serves no requests.
 *
 * @param database a connection whose integers come back as `bigint`
 */
export function verifyLedger(database: Database): LedgerReport {
  return inTransaction(database, 'DEFERRED', () => {
    const counts = database.query<Record<'accounts' | 'entries' | 'charges' | 'archived', bigint>, []>(COUNTS).get();
    const problems = [
      database.query<KeptRow, []>(BALANCES).all().map(balanceProblem),
      database.query<PrepaidRow, []>(PREPAID).all().map(prepaidProblem),
      database
        .query<KeptRow & { readonly key_id: string }, []>(SPENDING)
        .all()
        .map((row) => ledgerProblems.spending(row.account_id, row.key_id, row.kept, row.total)),
      database
        .query<{ readonly request_id: string; readonly account_id: string; readonly charges: bigint }, []>(
          CHARGED_TWICE,
        )
        .all()
        .map((row) => ledgerProblems.chargedTwice(row.request_id, row.account_id, row.charges)),
      database
        .query<{ readonly sequence: bigint; readonly account_id: string }, []>(MALFORMED)
        .all()
        .map((row) => ledgerProblems.malformed(row.sequence, row.account_id)),
      database.query<LogRow, []>(LOG).all().map(logProblem),
      database.query<HeldRow, []>(HOLDS_NOT_KEPT).all().map(heldProblem),
      database
        .query<BudgetRow, []>(BUDGETS)
        .all()
        .map((row) => ledgerProblems.budget(fromBudgetPlace(row), row.kept, row.total)),
      database
        .query<BudgetRow, []>(BUDGETS_NOT_KEPT)
        .all()
        .map((row) => ledgerProblems.budgetHolds(fromBudgetPlace(row), row.kept, row.total)),
      database.query<HoldChargeRow, []>(HOLD_CHARGES).all().map(holdChargeProblem),
    ];
    return {
      accounts: Number(counts?.accounts ?? 0n),
      entries: Number(counts?.entries ?? 0n),
      charges: Number(counts?.charges ?? 0n),
      archived: Number(counts?.archived ?? 0n),
      problems: problems.flatMap(toldProblems),
    };
  });
}

function balanceProblem({ account_id, kept, total }: KeptRow): string {
  return ledgerProblems.balance(account_id, kept, total);
}

function heldProblem({ account_id, key_id, kept, total }: HeldRow): string {
  return ledgerProblems.holdNotKept(account_id, key_id, kept, total);
}

function holdChargeProblem({ hold_id, account_id, state, charged_nano, booked_nano }: HoldChargeRow): string {
  return ledgerProblems.holdCharge(hold_id, account_id, state, charged_nano, booked_nano);
}

function prepaidProblem({ account_id, balance_nano, leased_nano }: PrepaidRow): string {
  return balance_nano < 0n
    ? ledgerProblems.negative(account_id, balance_nano)
    : ledgerProblems.accountLease(account_id, leased_nano, balance_nano);
}

function logProblem(row: LogRow): string {
  const { request_id, account_id, cost_nano, charged_nano, charged_account_id } = row;
  if (charged_nano === null || charged_account_id === null) {
    return ledgerProblems.notCharged(request_id, account_id, cost_nano);
  }
  return charged_nano === cost_nano
    ? ledgerProblems.otherPurse(request_id, account_id, row.key_id, charged_account_id, row.charged_key_id)
    : ledgerProblems.otherCharge(request_id, account_id, cost_nano, charged_nano);
}
