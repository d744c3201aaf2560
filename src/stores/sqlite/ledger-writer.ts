import type { Database } from 'bun:sqlite';
import type {
  Charge,
  LedgerConflict,
  LedgerEntry,
  NewEntry,
  PoolLease,
  SpendingPool,
} from '../../engine/ports/ledger.ts';
import {
  chargeEntry,
  countedAt,
  isSameEntry,
  leasable,
  ledgerConflict,
  refuseCharge,
  refuseMalformed,
  refuseTooLarge,
} from '../shared/ledger-rules.ts';
import { isBudget } from '../shared/tables/budget-spending.ts';
import {
  type BalanceRow,
  type EntryRow,
  fromEntryRow,
  fromLeaseRow,
  type LeaseRow,
  type SpendingRow,
} from '../shared/tables/ledger.ts';
import { BudgetPeriods } from './budget-periods.ts';
import { GATEWAY_LEASES } from './gateway-leases.ts';
import { writeChargeUsage } from './usage-of-charge.ts';
import type { WritingConnection } from './writing-connection.ts';

const insertOf = (rows: number) => `
  INSERT INTO ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note, counted_at_ms)
  VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
  ON CONFLICT (idempotency_key) DO NOTHING
`;
const INSERT = insertOf(1);
/** In a multi-row insert a row takes two thirds of the time of a single insert; the commit takes the same time. */
const ROWS_AT_ONCE = 10;
const INSERT_MANY = insertOf(ROWS_AT_ONCE);

const MOVE_BALANCE = `
  INSERT INTO balances (account_id, balance_nano, leased_nano) VALUES (?1, ?2, 0)
  ON CONFLICT (account_id) DO UPDATE SET
    balance_nano = balance_nano + ?2, leased_nano = max(0, leased_nano - ?3)
`;

const MOVE_SPENDING = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, ?3, 0)
  ON CONFLICT (account_id, key_id) DO UPDATE SET
    spent_nano = spent_nano + ?3, leased_nano = max(0, leased_nano - ?4)
`;

const LEASE_BALANCE = 'UPDATE balances SET leased_nano = max(0, leased_nano + ?2) WHERE account_id = ?1';

const LEASE_LIMIT = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, 0, max(0, ?3))
  ON CONFLICT (account_id, key_id) DO UPDATE SET leased_nano = max(0, leased_nano + ?3)
`;

/** The total of a batch in one account or key, applied in one update. */
interface Movement {
  cost: bigint;
  fromLease: bigint;
}

interface AccountMovement extends Movement {
  readonly keys: Map<string, Movement>;
}

/** The outcome of a charge: newly written, already known, or the reason for its refusal. */
export type ChargeOutcome = 'charged' | 'known' | Error;

/** Thrown if a multi-row insert contains known charges; the batch is rolled back. */
class SomeAreKnown extends Error {}

/** Changes the ledger, in the writer thread. Its connection returns integers as `bigint`. */
export class LedgerWriter {
  readonly #connection: WritingConnection;
  readonly #database: Database;
  readonly #budgets: BudgetPeriods;

  constructor(connection: WritingConnection) {
    this.#connection = connection;
    this.#database = connection.database;
    this.#budgets = new BudgetPeriods(this.#database);
  }

  /** Writes a batch in one transaction, durable when it returns. */
  charge(batch: readonly Charge[]): readonly ChargeOutcome[] {
    try {
      return this.#connection.run('FULL', () => this.#writeNew(batch));
    } catch (error) {
      if (!(error instanceof SomeAreKnown)) throw error;
      return this.#connection.run('FULL', () => this.#writeCharges(batch));
    }
  }

  /** A lease ends with the process, so its transaction need not be durable. */
  async lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd: bigint): Promise<bigint> {
    return await this.#connection.runWhenFree('NORMAL', () => {
      const leased = leasable(this.#free(pool, limitNanoUsd), wanted, least);
      if (leased > 0n) this.#moveLease(pool, leased);
      return leased;
    });
  }

  async giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    await this.#connection.runWhenFree('NORMAL', () => this.#moveLease(pool, -amountNanoUsd));
  }

  /** Returns the gateway's leases. */
  leases(): readonly PoolLease[] {
    return this.#database.query<LeaseRow, []>(GATEWAY_LEASES).all().map(fromLeaseRow);
  }

  /** See `Ledger.append`. */
  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    refuseMalformed(entry);
    return await this.#connection.runWhenFree('FULL', () => this.#append(entry));
  }

  /** Writes a batch of new charges, the usual case. Throws `SomeAreKnown` if any is known. */
  #writeNew(batch: readonly Charge[]): ChargeOutcome[] {
    const whole = batch.length - (batch.length % ROWS_AT_ONCE);
    for (let from = 0; from < whole; from += ROWS_AT_ONCE) {
      const values = batch.slice(from, from + ROWS_AT_ONCE).flatMap(chargeValues);
      if (this.#database.query(INSERT_MANY).run(...values).changes !== ROWS_AT_ONCE) throw new SomeAreKnown();
    }
    for (const charge of batch.slice(whole)) {
      if (this.#database.query(INSERT).run(...chargeValues(charge)).changes !== 1) throw new SomeAreKnown();
    }
    this.#move(batch);
    return batch.map(() => 'charged');
  }

  #writeCharges(batch: readonly Charge[]): ChargeOutcome[] {
    const charged: Charge[] = [];
    const outcomes = batch.map((charge) => {
      const entry = chargeEntry(charge);
      if (!this.#insert(entry, countedAt(charge))) return this.#compare(entry) ?? 'known';
      charged.push(charge);
      return 'charged';
    });
    this.#move(charged);
    return outcomes;
  }

  #move(charged: readonly Charge[]): void {
    const movements = new Map<string, AccountMovement>();
    for (const charge of charged) addTo(movements, charge);
    writeChargeUsage(this.#database, charged);
    this.#countForBudgets(charged);
    const moveBalance = this.#database.query(MOVE_BALANCE);
    const moveSpending = this.#database.query(MOVE_SPENDING);
    for (const [accountId, { cost, fromLease, keys }] of movements) {
      moveBalance.run(accountId, -cost, fromLease);
      for (const [keyId, ofKey] of keys) moveSpending.run(accountId, keyId, ofKey.cost, ofKey.fromLease);
    }
  }

  #countForBudgets(charges: readonly Charge[]): void {
    if (!this.#budgets.areAny()) return;
    const haveAny = new Map<string, boolean>();
    for (const charge of charges) {
      const { accountId } = charge;
      const hasAny = haveAny.get(accountId) ?? this.#budgets.hasAny(accountId);
      haveAny.set(accountId, hasAny);
      if (hasAny) this.#budgets.count(charge);
    }
  }

  #append(entry: NewEntry): 'appended' | 'known' | 'insufficient' {
    const known = this.#known(entry.idempotencyKey);
    if (known !== null) {
      if (isSameEntry(known, entry)) return 'known';
      throw ledgerConflict(known, entry);
    }
    const { accountId, amountNanoUsd } = entry;
    const row = this.#balanceRow(accountId);
    const balance = row?.balance_nano ?? 0n;
    if (amountNanoUsd < 0n && balance - (row?.leased_nano ?? 0n) + amountNanoUsd < 0n) return 'insufficient';
    refuseTooLarge(balance + amountNanoUsd);
    this.#insert(entry, null);
    this.#database.query(MOVE_BALANCE).run(accountId, amountNanoUsd, 0n);
    return 'appended';
  }

  /** Returns whether the entry is new. */
  #insert(entry: NewEntry, countedAtMs: bigint | null): boolean {
    return this.#database.query(INSERT).run(...valuesOf(entry, countedAtMs)).changes === 1;
  }

  #known(idempotencyKey: string): LedgerEntry | null {
    const sql = 'SELECT * FROM ledger_entries WHERE idempotency_key = ?';
    const row = this.#database.query<EntryRow, [string]>(sql).get(idempotencyKey);
    return row === null ? null : fromEntryRow(row);
  }

  #compare(entry: NewEntry): LedgerConflict | null {
    const known = this.#known(entry.idempotencyKey);
    return known === null || isSameEntry(known, entry) ? null : ledgerConflict(known, entry);
  }

  #free(pool: SpendingPool, limitNanoUsd: bigint): bigint {
    if (isBudget(pool)) return this.#budgets.free(pool, limitNanoUsd);
    const { accountId, keyId } = pool;
    if (keyId === null) {
      const row = this.#balanceRow(accountId);
      return row === null ? 0n : row.balance_nano - row.leased_nano;
    }
    const sql = 'SELECT * FROM key_spending WHERE account_id = ? AND key_id = ?';
    const row = this.#database.query<SpendingRow, [string, string]>(sql).get(accountId, keyId);
    return row === null ? limitNanoUsd : limitNanoUsd - row.spent_nano - row.leased_nano;
  }

  #moveLease(pool: SpendingPool, amountNanoUsd: bigint): void {
    const { accountId, keyId } = pool;
    if (isBudget(pool)) this.#budgets.moveLease(pool, amountNanoUsd);
    else if (keyId === null) this.#database.query(LEASE_BALANCE).run(accountId, amountNanoUsd);
    else this.#database.query(LEASE_LIMIT).run(accountId, keyId, amountNanoUsd);
  }

  #balanceRow(accountId: string): BalanceRow | null {
    return this.#database.query<BalanceRow, [string]>('SELECT * FROM balances WHERE account_id = ?').get(accountId);
  }
}

type EntryValues = readonly (string | number | bigint | null)[];

/** Returns the values in column order. */
function valuesOf(entry: NewEntry, countedAtMs: bigint | null): EntryValues {
  const { idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note } = entry;
  return [idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note, countedAtMs];
}

function chargeValues(charge: Charge): EntryValues {
  return valuesOf(chargeEntry(charge), countedAt(charge));
}

function addTo(movements: Map<string, AccountMovement>, charge: Charge): void {
  let account = movements.get(charge.accountId);
  if (account === undefined) {
    account = { cost: 0n, fromLease: 0n, keys: new Map() };
    movements.set(charge.accountId, account);
  }
  account.cost += charge.costNanoUsd;
  account.fromLease += charge.fromAccountLease;
  if (charge.keyId === null) return;
  const key = account.keys.get(charge.keyId);
  if (key === undefined) {
    account.keys.set(charge.keyId, { cost: charge.costNanoUsd, fromLease: charge.fromKeyLease });
  } else {
    key.cost += charge.costNanoUsd;
    key.fromLease += charge.fromKeyLease;
  }
}
