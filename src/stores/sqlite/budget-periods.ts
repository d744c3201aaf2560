import type { Database } from 'bun:sqlite';
import { type BudgetPool, type BudgetSpending, type Charge, LONGEST_DISORDER_MS } from '../../engine/ports/ledger.ts';
import {
  type BudgetSpendingRow,
  budgetPlace,
  FORGET_AFTER_MS,
  toBudgetSpending,
} from '../shared/tables/budget-spending.ts';

const PLACE = 'account_id = ?1 AND key_id = ?2 AND starts_at_ms = ?3 AND ends_at_ms = ?4';

const FIND = `SELECT spent_nano, leased_nano FROM budget_spending WHERE ${PLACE}`;
const ARE_ANY = 'SELECT 1 FROM budget_spending LIMIT 1';
const HAS_ANY = 'SELECT 1 FROM budget_spending WHERE account_id = ? LIMIT 1';

/** Parameters: account, key or empty, start, end. Read backwards from the newest entry. */
const CHARGED = `
  SELECT coalesce(-sum(amount_nano), 0) AS spent_nano FROM ledger_entries
  WHERE account_id = ?1 AND kind = 'charge' AND (?2 = '' OR key_id = ?2)
    AND coalesce(counted_at_ms, at_ms) >= ?3 AND coalesce(counted_at_ms, at_ms) < ?4
    AND sequence > coalesce((
      SELECT sequence FROM ledger_entries WHERE account_id = ?1 AND at_ms < ?3 - ${LONGEST_DISORDER_MS}
      ORDER BY sequence DESC LIMIT 1
    ), 0)
`;

const BEGIN = `
  INSERT INTO budget_spending (account_id, key_id, starts_at_ms, ends_at_ms, spent_nano) VALUES (?1, ?2, ?3, ?4, ?5)
`;
const FORGET = `
  DELETE FROM budget_spending
  WHERE account_id = ?1 AND key_id = ?2 AND ends_at_ms < ?3 - ${FORGET_AFTER_MS} AND leased_nano = 0
`;
const MOVE_LEASE = `UPDATE budget_spending SET leased_nano = max(0, leased_nano + ?5) WHERE ${PLACE}`;

/** Parameters: account, key or empty, the time that it counts at, cost, the account's period or NULL, the key's period or NULL. */
const COUNT = `
  UPDATE budget_spending SET
    spent_nano = spent_nano + ?4,
    leased_nano = CASE
      WHEN (key_id = '' AND starts_at_ms = ?5 AND ends_at_ms = ?6) OR (key_id <> '' AND starts_at_ms = ?7 AND ends_at_ms = ?8)
      THEN max(0, leased_nano - ?4) ELSE leased_nano END
  WHERE account_id = ?1 AND key_id IN ('', ?2) AND starts_at_ms <= ?3 AND ends_at_ms > ?3
`;

type Value = string | bigint | null;

/**
 * The spent and leased amounts of budget periods, on a connection that returns integers as `bigint`. Changes run in the caller's
 * transaction.
 */
export class BudgetPeriods {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the free amount of a budget in this period. Creates the period's row if it is missing. */
  free(pool: BudgetPool, budgetNanoUsd: bigint): bigint {
    const { spent_nano, leased_nano } = this.#find(pool) ?? this.#begin(pool);
    return budgetNanoUsd - spent_nano - leased_nano;
  }

  moveLease(pool: BudgetPool, amountNanoUsd: bigint): void {
    this.#database.query(MOVE_LEASE).run(...budgetPlace(pool), amountNanoUsd);
  }

  /** Whether money was ever reserved from any budget; most gateways have none. */
  areAny(): boolean {
    return this.#database.query<object, []>(ARE_ANY).get() !== null;
  }

  hasAny(accountId: string): boolean {
    return this.#database.query<object, [string]>(HAS_ANY).get(accountId) !== null;
  }

  /** Counts a new charge in all of its periods, whoever charges it, and ends its leases. */
  count({ accountId, keyId, costNanoUsd, atMs, budgets }: Charge): void {
    const values: Value[] = [accountId, keyId ?? '', BigInt(Math.floor(budgets?.countedAtMs ?? atMs)), costNanoUsd];
    for (const window of [budgets?.account, budgets?.key]) {
      values.push(window ? BigInt(window.startsAtMs) : null, window ? BigInt(window.endsAtMs) : null);
    }
    this.#database.query<object, Value[]>(COUNT).run(...values);
  }

  spending(pool: BudgetPool): BudgetSpending {
    return toBudgetSpending(pool, this.#find(pool) ?? { spent_nano: this.#charged(pool), leased_nano: 0n });
  }

  #find(pool: BudgetPool) {
    return this.#database
      .query<Pick<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>, Value[]>(FIND)
      .get(...budgetPlace(pool));
  }

  #begin(pool: BudgetPool) {
    const spent_nano = this.#charged(pool);
    const [accountId, keyId, startsAtMs, endsAtMs] = budgetPlace(pool);
    this.#database.query(BEGIN).run(accountId, keyId, startsAtMs, endsAtMs, spent_nano);
    this.#database.query(FORGET).run(accountId, keyId, startsAtMs);
    return { spent_nano, leased_nano: 0n };
  }

  #charged(pool: BudgetPool): bigint {
    const row = this.#database.query<{ readonly spent_nano: bigint }, Value[]>(CHARGED).get(...budgetPlace(pool));
    return row?.spent_nano ?? 0n;
  }
}
