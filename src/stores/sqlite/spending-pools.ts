import type { Database } from 'bun:sqlite';
import {
  type BudgetPool,
  type BudgetSpending,
  type Charge,
  LONGEST_DISORDER_MS,
  type PoolLease,
  type SpendingPool,
} from '../../engine/ports/ledger.ts';
import {
  type BudgetSpendingRow,
  budgetPlace,
  FORGET_AFTER_MS,
  isBudget,
  toBudgetSpending,
} from '../shared/tables/budget-spending.ts';
import { fromLeaseRow, type LeaseRow } from '../shared/tables/ledger.ts';
import { inTransaction } from './connection.ts';

const BALANCE = 'SELECT balance_nano, balance_nano - leased_nano AS free_nano FROM balances WHERE account_id = ?';
const TAKEN_OF_LIMIT = 'SELECT spent_nano + leased_nano AS taken FROM key_spending WHERE account_id = ? AND key_id = ?';

/** An account without a row has no money. Only zero can be leased of it, which needs no row. */
const LEASE_BALANCE = 'UPDATE balances SET leased_nano = max(0, leased_nano + ?2) WHERE account_id = ?1';
const LEASE_LIMIT = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, 0, max(0, ?3))
  ON CONFLICT (account_id, key_id) DO UPDATE SET leased_nano = max(0, leased_nano + ?3)
`;

const PERIOD = 'account_id = ?1 AND key_id = ?2 AND starts_at_ms = ?3 AND ends_at_ms = ?4';
const FIND = `SELECT spent_nano, leased_nano FROM budget_spending WHERE ${PERIOD}`;
const LEASE_BUDGET = `UPDATE budget_spending SET leased_nano = max(0, leased_nano + ?5) WHERE ${PERIOD}`;
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

/** Parameters: account, key or empty, the time that it counts at, cost, the account's period or NULL, the key's period or NULL. */
const COUNT = `
  UPDATE budget_spending SET
    spent_nano = spent_nano + ?4,
    leased_nano = CASE
      WHEN (key_id = '' AND starts_at_ms = ?5 AND ends_at_ms = ?6) OR (key_id <> '' AND starts_at_ms = ?7 AND ends_at_ms = ?8)
      THEN max(0, leased_nano - ?4) ELSE leased_nano END
  WHERE account_id = ?1 AND key_id IN ('', ?2) AND starts_at_ms <= ?3 AND ends_at_ms > ?3
`;

/* A spending pool's row has one sum of open holds, which outlive gateways, and the gateway's leases. */

const HELD_OF_BALANCE = `
  SELECT coalesce(sum(from_balance_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = balances.account_id
`;
const HELD_OF_KEY = `
  SELECT coalesce(sum(from_limit_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = key_spending.account_id AND holds.key_id = key_spending.key_id
`;
/** `held_nano` is a string of digits in the JSON. */
const HELD_OF_BUDGET = `
  SELECT coalesce(sum(cast(held.value ->> 'held_nano' AS integer)), 0) FROM holds, json_each(holds.budgets) AS held
  WHERE state = 'open' AND holds.account_id = budget_spending.account_id
    AND held.value ->> 'key_id' = budget_spending.key_id
    AND held.value ->> 'starts_at_ms' = budget_spending.starts_at_ms
    AND held.value ->> 'ends_at_ms' = budget_spending.ends_at_ms
`;

const LEASES = `
  SELECT * FROM (
    SELECT account_id, '' AS key_id, NULL AS starts_at_ms, NULL AS ends_at_ms, leased_nano - (${HELD_OF_BALANCE}) AS leased_nano
    FROM balances WHERE leased_nano <> 0
    UNION ALL
    SELECT account_id, key_id, NULL, NULL, leased_nano - (${HELD_OF_KEY}) FROM key_spending WHERE leased_nano <> 0
    UNION ALL
    SELECT account_id, key_id, starts_at_ms, ends_at_ms, leased_nano - (${HELD_OF_BUDGET})
    FROM budget_spending WHERE leased_nano <> 0
  ) WHERE leased_nano > 0
`;

type Value = string | bigint | null;

/**
 * The free and leased amounts of balances, limits and budget periods, on a connection that returns integers as `bigint`. Changes run in the
 * caller's transaction.
 */
export class SpendingPools {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the free amount. Creates the row of a budget period if it is missing. */
  free(pool: SpendingPool, limitNanoUsd: bigint): bigint {
    const { accountId, keyId } = pool;
    if (isBudget(pool)) {
      const { spent_nano, leased_nano } = this.#find(pool) ?? this.#begin(pool);
      return limitNanoUsd - spent_nano - leased_nano;
    }
    if (keyId === null) return this.#balance(accountId)?.free_nano ?? 0n;
    const row = this.#database
      .query<{ readonly taken: bigint }, [string, string]>(TAKEN_OF_LIMIT)
      .get(accountId, keyId);
    return limitNanoUsd - (row?.taken ?? 0n);
  }

  /** Returns the sum of the account's entries. */
  balance(accountId: string): bigint {
    return this.#balance(accountId)?.balance_nano ?? 0n;
  }

  /** Leases an amount, or releases a negative one. */
  moveLease(pool: SpendingPool, amountNanoUsd: bigint): void {
    const { accountId, keyId } = pool;
    if (isBudget(pool)) this.#database.query(LEASE_BUDGET).run(...budgetPlace(pool), amountNanoUsd);
    else if (keyId === null) this.#database.query(LEASE_BALANCE).run(accountId, amountNanoUsd);
    else this.#database.query(LEASE_LIMIT).run(accountId, keyId, amountNanoUsd);
  }

  /** Returns the gateway's leases, without what open holds have reserved. */
  leases(): readonly PoolLease[] {
    return this.#database.query<LeaseRow, []>(LEASES).all().map(fromLeaseRow);
  }

  /** Counts new charges in all of their budget periods, whoever charges them, and ends their leases on those. */
  count(charges: readonly Charge[]): void {
    // Most gateways have no budgets.
    if (this.#database.query<object, []>(ARE_ANY).get() === null) return;
    const haveAny = new Map<string, boolean>();
    for (const charge of charges) {
      const { accountId, keyId, costNanoUsd, atMs, budgets } = charge;
      const hasAny = haveAny.get(accountId) ?? this.#database.query<object, [string]>(HAS_ANY).get(accountId) !== null;
      haveAny.set(accountId, hasAny);
      if (!hasAny) continue;
      const values: Value[] = [accountId, keyId ?? '', BigInt(Math.floor(budgets?.countedAtMs ?? atMs)), costNanoUsd];
      for (const window of [budgets?.account, budgets?.key]) {
        values.push(window ? BigInt(window.startsAtMs) : null, window ? BigInt(window.endsAtMs) : null);
      }
      this.#database.query<object, Value[]>(COUNT).run(...values);
    }
  }

  /** Returns the spending in a budget period. */
  spending(pool: BudgetPool): BudgetSpending {
    return toBudgetSpending(pool, this.#find(pool) ?? { spent_nano: this.#charged(pool), leased_nano: 0n });
  }

  #balance(accountId: string) {
    return this.#database
      .query<{ readonly balance_nano: bigint; readonly free_nano: bigint }, [string]>(BALANCE)
      .get(accountId);
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

/** Ends the leases of a gateway that has exited. Only a process that owns the data folder can know that it has. */
export function endLeases(database: Database): void {
  inTransaction(database, 'IMMEDIATE', () => {
    database.run(`UPDATE balances SET leased_nano = (${HELD_OF_BALANCE}) WHERE leased_nano <> 0`);
    database.run(`UPDATE key_spending SET leased_nano = (${HELD_OF_KEY}) WHERE leased_nano <> 0`);
    database.run(`UPDATE budget_spending SET leased_nano = (${HELD_OF_BUDGET}) WHERE leased_nano <> 0`);
  });
}
