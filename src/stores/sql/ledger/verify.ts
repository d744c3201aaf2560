import type { BudgetPool, LedgerReport } from '../../../engine/ports/ledger.ts';
import { ledgerProblems, toldProblems } from '../../shared/ledger-problems.ts';
import { fromBudgetPlace } from '../../shared/tables/budget-spending.ts';
import type { SqlProgram, SqlRow } from '../program.ts';

/** One kind of problem: a query for the rows that have it, and the sentence for a row. */
export interface LedgerCheck {
  /** Has no LIMIT. */
  readonly sql: string;
  readonly tell: (row: SqlRow) => string;
}

/** Caps the list: a single cause usually explains all further problems. */
const MAX_ROWS = 10_000;

/** Charges before this time may be archived. */
const HORIZON = '(SELECT coalesce(max(before_ms), 0) FROM ledger_checkpoints)';

const COUNTS = `
  SELECT
    (SELECT count(*) FROM balances) AS accounts,
    (SELECT count(*) FROM ledger_entries) AS entries,
    (SELECT count(*) FROM ledger_entries WHERE kind = 'charge') AS charges,
    (SELECT coalesce(sum(entries), 0) FROM ledger_archived) AS archived
`;

const BALANCES: LedgerCheck = {
  sql: `
    WITH
      parts AS (SELECT account_id, amount_nano FROM ledger_entries UNION ALL SELECT account_id, amount_nano FROM ledger_archived),
      sums AS (SELECT account_id, sum(amount_nano) AS total FROM parts GROUP BY account_id),
      ids AS (SELECT account_id FROM sums UNION SELECT account_id FROM balances)
    SELECT account_id, coalesce(balance_nano, 0) AS kept, coalesce(total, 0) AS total
    FROM ids LEFT JOIN balances USING (account_id) LEFT JOIN sums USING (account_id)
    WHERE coalesce(balance_nano, 0) <> coalesce(total, 0)
    ORDER BY account_id
  `,
  tell: (row) => ledgerProblems.balance(text(row.account_id), amount(row.kept), amount(row.total)),
};

const PREPAID: LedgerCheck = {
  sql: `
    SELECT account_id, balance_nano, leased_nano FROM balances JOIN accounts ON id = account_id
    WHERE billing = 'prepaid' AND (balance_nano < 0 OR leased_nano > balance_nano)
    ORDER BY account_id
  `,
  tell(row) {
    const [accountId, balance] = [text(row.account_id), amount(row.balance_nano)];
    return balance < 0n
      ? ledgerProblems.negative(accountId, balance)
      : ledgerProblems.accountLease(accountId, amount(row.leased_nano), balance);
  },
};

const SPENDING: LedgerCheck = {
  sql: `
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
    ORDER BY account_id, key_id
  `,
  tell: (row) => ledgerProblems.spending(text(row.account_id), text(row.key_id), amount(row.kept), amount(row.total)),
};

/** Every charge counts in all of its periods that have a row. */
const BUDGETS: LedgerCheck = {
  sql: `
    SELECT * FROM (
      SELECT account_id, key_id, starts_at_ms, ends_at_ms, spent_nano AS kept, (
        SELECT coalesce(-sum(amount_nano), 0) FROM ledger_entries AS charge
        WHERE charge.account_id = budget.account_id AND kind = 'charge'
          AND (budget.key_id = '' OR charge.key_id = budget.key_id)
          AND coalesce(counted_at_ms, at_ms) >= starts_at_ms AND coalesce(counted_at_ms, at_ms) < ends_at_ms
      ) AS total
      FROM budget_spending AS budget WHERE starts_at_ms >= ${HORIZON}
    ) AS sums
    WHERE kept <> total ORDER BY account_id, key_id, starts_at_ms
  `,
  tell: (row) => ledgerProblems.budget(poolOf(row), amount(row.kept), amount(row.total)),
};

/** A settled hold must be charged its stated amount, an open or released one nothing. */
const HOLD_CHARGES: LedgerCheck = {
  sql: `
    SELECT hold_id, holds.account_id, state, charged_nano, coalesce(-charge.amount_nano, 0) AS booked_nano
    FROM holds LEFT JOIN ledger_entries AS charge ON charge.idempotency_key = 'charge:' || hold_id
    WHERE (state = 'open' OR closed_at_ms >= ${HORIZON}) AND (
      charged_nano <> coalesce(-charge.amount_nano, 0)
      OR charge.account_id <> holds.account_id OR (charge.sequence IS NOT NULL AND charge.key_id IS DISTINCT FROM holds.key_id)
    )
    ORDER BY hold_id
  `,
  tell(row) {
    const [holdId, accountId, state] = [text(row.hold_id), text(row.account_id), text(row.state)];
    return ledgerProblems.holdCharge(holdId, accountId, state, amount(row.charged_nano), amount(row.booked_nano));
  },
};

const CHARGED_TWICE: LedgerCheck = {
  sql: `
    SELECT request_id, min(account_id) AS account_id, count(*) AS charges FROM ledger_entries
    WHERE kind = 'charge' GROUP BY request_id HAVING count(*) > 1
    ORDER BY request_id
  `,
  tell: (row) => ledgerProblems.chargedTwice(text(row.request_id), text(row.account_id), amount(row.charges)),
};

const MALFORMED: LedgerCheck = {
  sql: `
    SELECT sequence, account_id FROM ledger_entries
    WHERE CASE kind
      WHEN 'charge' THEN amount_nano > 0 OR idempotency_key IS DISTINCT FROM 'charge:' || request_id
      WHEN 'adjustment' THEN false
      ELSE amount_nano < 0
    END
    ORDER BY sequence
  `,
  tell: (row) => ledgerProblems.malformed(amount(row.sequence), text(row.account_id)),
};

/**
 * A charge without a line is not a problem: the log is not durable, so a crash may lose its last lines. Nor is a line without a charge if
 * the request was free, since free requests are not charged.
 */
const LOG: LedgerCheck = {
  sql: `
    SELECT
      line.request_id, line.account_id, line.key_id, line.cost_nano,
      -charge.amount_nano AS charged_nano, charge.account_id AS charged_account_id, charge.key_id AS charged_key_id
    FROM request_log AS line LEFT JOIN ledger_entries AS charge ON charge.idempotency_key = 'charge:' || line.request_id
    WHERE line.cost_nano IS NOT NULL AND line.at_ms >= ${HORIZON} AND (
      CASE WHEN charge.sequence IS NULL THEN line.cost_nano <> 0 ELSE
        -charge.amount_nano <> line.cost_nano
        OR charge.account_id IS DISTINCT FROM line.account_id OR charge.key_id IS DISTINCT FROM line.key_id
      END
    )
    ORDER BY line.id
  `,
  tell(row) {
    const [requestId, accountId, cost] = [text(row.request_id), nullableText(row.account_id), amount(row.cost_nano)];
    const chargedAccountId = nullableText(row.charged_account_id);
    if (chargedAccountId === null) return ledgerProblems.notCharged(requestId, accountId, cost);
    const charged = amount(row.charged_nano);
    if (charged !== cost) return ledgerProblems.otherCharge(requestId, accountId, cost, charged);
    const [keyId, chargedKeyId] = [nullableText(row.key_id), nullableText(row.charged_key_id)];
    return ledgerProblems.otherPool(requestId, accountId, keyId, chargedAccountId, chargedKeyId);
  },
};

/**
 * Verifies the ledger within one snapshot. A million entries take seconds.
 *
 * @param leases the checks of leases, which differ between the databases
 */
export function* verifyingLedger(leases: readonly LedgerCheck[]): SqlProgram<LedgerReport> {
  const [counts = {}] = yield { sql: COUNTS, values: [] };
  const problems: string[] = [];
  const checks = [BALANCES, PREPAID, SPENDING, BUDGETS, ...leases, HOLD_CHARGES, CHARGED_TWICE, MALFORMED, LOG];
  for (const { sql, tell } of checks) {
    const rows = yield { sql: `${sql} LIMIT ${MAX_ROWS}`, values: [] };
    problems.push(...toldProblems(rows.map(tell)));
  }
  return {
    accounts: Number(counts.accounts ?? 0),
    entries: Number(counts.entries ?? 0),
    charges: Number(counts.charges ?? 0),
    archived: Number(counts.archived ?? 0),
    problems,
  };
}

export function poolOf(row: SqlRow): BudgetPool {
  const [starts_at_ms, ends_at_ms] = [amount(row.starts_at_ms), amount(row.ends_at_ms)];
  return fromBudgetPlace({ account_id: text(row.account_id), key_id: text(row.key_id), starts_at_ms, ends_at_ms });
}

export function text(value: unknown): string {
  return String(value ?? '');
}

export function nullableText(value: unknown): string | null {
  return value === null ? null : text(value);
}

/** PostgreSQL's sums are `numeric`, which the driver returns as text. */
export function amount(value: unknown): bigint {
  return BigInt((value ?? 0n) as bigint | string | number); // Columns and sums of integers.
}
