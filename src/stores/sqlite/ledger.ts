import type { Database } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import type { KeyPlace } from '../../engine/ports/key-use-store.ts';
import type {
  Balance,
  BudgetPurse,
  BudgetSpending,
  Charge,
  EntryPlace,
  EntryQuery,
  KeySpending,
  Ledger,
  LedgerConflict,
  LedgerEntry,
  LedgerPage,
  LedgerReport,
  NewEntry,
  Purse,
} from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { readEntryPage } from '../shared/ledger-pages.ts';
import {
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
  fromBalanceRow,
  fromEntryRow,
  fromSpendingRow,
  type SpendingRow,
} from '../shared/tables/ledger.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { BudgetPeriods } from './budget-periods.ts';
import { type ChargeOutcome, ChargeQueue, type QueuedCharge } from './charge-queue.ts';
import { inTransaction, isBusy, retryWhileBusy } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { joinedPlaces, jsonPlaces } from './key-places.ts';
import type { ReadingThread } from './reading-thread.ts';
import { writeChargeUsage } from './usage-of-charge.ts';

const INSERT = `
  INSERT INTO ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note, counted_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (idempotency_key) DO NOTHING
`;

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

const SOME_BALANCES = `
  SELECT * FROM balances WHERE account_id IN (SELECT value FROM json_each(?)) ORDER BY account_id
`;

const SPENT = 'WHERE spent_nano <> 0 ORDER BY account_id, key_id';
const SOME_SPENDING = `SELECT key_spending.* FROM ${joinedPlaces('key_spending')} ${SPENT}`;

const LEASE_BALANCE = 'UPDATE balances SET leased_nano = max(0, leased_nano + ?2) WHERE account_id = ?1';

const LEASE_LIMIT = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, 0, max(0, ?3))
  ON CONFLICT (account_id, key_id) DO UPDATE SET leased_nano = max(0, leased_nano + ?3)
`;

/** What a batch of charges moves in one account or of one key: one update for all of them. */
interface Movement {
  cost: bigint;
  fromLease: bigint;
}

interface AccountMovement extends Movement {
  readonly keys: Map<string, Movement>;
}

export interface SqliteLedgerOptions {
  /** Its own connection: transactions wait for the disk, integers come back as `bigint`, and there is no busy timeout. */
  readonly books: Database;
  /**
   * Another of that kind, for leases and for reading; its transactions do not wait for the disk. A lease ends with the
   * process, so nothing is lost with one.
   */
  readonly leases: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: WriteHealth;
  readonly onDamage: (error: unknown) => void;
  readonly reading: Pick<ReadingThread, 'rows' | 'verifyLedger'>;
  readonly giveUpAfterMs?: number;
}

/**
 * The books in SQLite, for one gateway. Its leases stand in the rows all the same, so that what another process appends
 * (`switchyard` beside the gateway) leaves them alone.
 */
export class SqliteLedger implements Ledger {
  readonly isShared = false;
  readonly #books: Database;
  readonly #leases: Database;
  readonly #reading: Pick<ReadingThread, 'rows' | 'verifyLedger'>;
  readonly #writes: GroupCommit;
  readonly #charges: ChargeQueue;
  /** Of the books' connection, and of the leases'. */
  readonly #bookedBudgets: BudgetPeriods;
  readonly #leasedBudgets: BudgetPeriods;

  constructor({ books, leases, clock, logger, health, onDamage, reading, giveUpAfterMs }: SqliteLedgerOptions) {
    this.#books = books;
    this.#leases = leases;
    this.#reading = reading;
    this.#bookedBudgets = new BudgetPeriods(books);
    this.#leasedBudgets = new BudgetPeriods(leases);
    this.#writes = new GroupCommit(books);
    this.#charges = new ChargeQueue({
      writes: this.#writes,
      writeBatch: (batch) => this.#writeCharges(batch),
      clock,
      logger,
      health,
      onDamage,
      ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    });
  }

  /** Answers at once, unless another process is writing just now. */
  lease(purse: Purse, wanted: bigint, least: bigint, limitNanoUsd = 0n): bigint | Promise<bigint> {
    const lease = () => {
      const leased = leasable(this.#free(purse, limitNanoUsd), wanted, least);
      if (leased > 0n) this.#moveLease(purse, leased);
      return leased;
    };
    const attempt = () => inTransaction(this.#leases, 'IMMEDIATE', lease);
    try {
      return attempt();
    } catch (error) {
      if (isBusy(error)) return retryWhileBusy(attempt);
      throw error;
    }
  }

  async giveBack(purse: Purse, amountNanoUsd: bigint): Promise<void> {
    if (amountNanoUsd <= 0n) return;
    await retryWhileBusy(() => this.#moveLease(purse, -amountNanoUsd));
  }

  onLeasesLost(): void {
    // Nobody else can end a lease: the data folder belongs to this gateway.
  }

  charge(charge: Charge): Promise<ChargeOutcome> {
    return this.#charges.add(charge);
  }

  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    refuseMalformed(entry);
    const outcome = await this.#writes.run(0, () => this.#appendNow(entry));
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  async balance(accountId: string): Promise<Balance> {
    const row = this.#balanceRow(this.#leases, accountId);
    return row === null ? { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n } : fromBalanceRow(row);
  }

  async balances(only?: readonly string[]): Promise<readonly Balance[]> {
    const rows =
      only === undefined
        ? this.#leases.query<BalanceRow, []>('SELECT * FROM balances ORDER BY account_id').all()
        : this.#leases.query<BalanceRow, [string]>(SOME_BALANCES).all(JSON.stringify(only));
    return rows.map(fromBalanceRow);
  }

  async spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]> {
    const rows =
      only === undefined
        ? this.#leases.query<SpendingRow, []>(`SELECT * FROM key_spending ${SPENT}`).all()
        : this.#leases.query<SpendingRow, [string]>(SOME_SPENDING).all(jsonPlaces(only));
    return rows.map(fromSpendingRow);
  }

  async budgetSpending(purses: readonly BudgetPurse[]): Promise<readonly BudgetSpending[]> {
    return inTransaction(this.#leases, 'DEFERRED', () => purses.map((purse) => this.#leasedBudgets.spending(purse)));
  }

  async entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]> {
    return this.#leases
      .query<EntryRow, [string, number]>(
        'SELECT * FROM ledger_entries WHERE account_id = ? ORDER BY at_ms DESC, sequence DESC LIMIT ?',
      )
      .all(accountId, Math.max(0, Math.floor(limit)))
      .map(fromEntryRow);
  }

  async page(of: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage> {
    return readEntryPage({ query: of, after, limit }, '?', (sql, values) => this.#reading.rows(sql, values));
  }

  async find(idempotencyKey: string): Promise<LedgerEntry | null> {
    return this.#known(idempotencyKey);
  }

  async verify(): Promise<LedgerReport> {
    return await this.#reading.verifyLedger();
  }

  /** Writes what waits. The connections stay their opener's to close. */
  async close(): Promise<void> {
    await this.#charges.close();
    await this.#writes.close();
  }

  #writeCharges(batch: readonly QueuedCharge[]): (ChargeOutcome | Error)[] {
    const movements = new Map<string, AccountMovement>();
    const charged: Charge[] = [];
    const outcomes = batch.map(({ charge, entry }) => {
      if (!this.#insert(entry, countedAt(charge))) return this.#compare(entry) ?? 'known';
      addTo(movements, charge);
      charged.push(charge);
      return 'charged';
    });
    writeChargeUsage(this.#books, charged);
    this.#countForBudgets(charged);
    const moveBalance = this.#books.query(MOVE_BALANCE);
    const moveSpending = this.#books.query(MOVE_SPENDING);
    for (const [accountId, { cost, fromLease, keys }] of movements) {
      moveBalance.run(accountId, -cost, fromLease);
      for (const [keyId, ofKey] of keys) moveSpending.run(accountId, keyId, ofKey.cost, ofKey.fromLease);
    }
    return outcomes;
  }

  #countForBudgets(charges: readonly Charge[]): void {
    if (!this.#bookedBudgets.areAny()) return;
    const haveAny = new Map<string, boolean>();
    for (const charge of charges) {
      const { accountId } = charge;
      const hasAny = haveAny.get(accountId) ?? this.#bookedBudgets.hasAny(accountId);
      haveAny.set(accountId, hasAny);
      if (hasAny) this.#bookedBudgets.count(charge);
    }
  }

  /** Errors are given back, not thrown: the other writes of the transaction have no part in them. */
  #appendNow(entry: NewEntry): 'appended' | 'known' | 'insufficient' | Error {
    const known = this.#known(entry.idempotencyKey);
    if (known !== null) return isSameEntry(known, entry) ? 'known' : ledgerConflict(known, entry);
    const { accountId, amountNanoUsd } = entry;
    const row = this.#balanceRow(this.#books, accountId);
    const balance = row?.balance_nano ?? 0n;
    if (amountNanoUsd < 0n && balance - (row?.leased_nano ?? 0n) + amountNanoUsd < 0n) return 'insufficient';
    try {
      refuseTooLarge(balance + amountNanoUsd);
    } catch (error) {
      return error as Error;
    }
    this.#insert(entry, null);
    this.#books.query(MOVE_BALANCE).run(accountId, amountNanoUsd, 0n);
    return 'appended';
  }

  /** Gives whether it is new. */
  #insert(
    { idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note }: NewEntry,
    countedAtMs: bigint | null,
  ): boolean {
    const { changes } = this.#books
      .query(INSERT)
      .run(idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note, countedAtMs);
    return changes === 1;
  }

  #known(idempotencyKey: string): LedgerEntry | null {
    const sql = 'SELECT * FROM ledger_entries WHERE idempotency_key = ?';
    const row = this.#books.query<EntryRow, [string]>(sql).get(idempotencyKey);
    return row === null ? null : fromEntryRow(row);
  }

  #compare(entry: NewEntry): LedgerConflict | null {
    const known = this.#known(entry.idempotencyKey);
    return known === null || isSameEntry(known, entry) ? null : ledgerConflict(known, entry);
  }

  #free(purse: Purse, limitNanoUsd: bigint): bigint {
    if (isBudget(purse)) return this.#leasedBudgets.free(purse, limitNanoUsd);
    const { accountId, keyId } = purse;
    if (keyId === null) {
      const row = this.#balanceRow(this.#leases, accountId);
      return row === null ? 0n : row.balance_nano - row.leased_nano;
    }
    const sql = 'SELECT * FROM key_spending WHERE account_id = ? AND key_id = ?';
    const row = this.#leases.query<SpendingRow, [string, string]>(sql).get(accountId, keyId);
    return row === null ? limitNanoUsd : limitNanoUsd - row.spent_nano - row.leased_nano;
  }

  #moveLease(purse: Purse, amountNanoUsd: bigint): void {
    const { accountId, keyId } = purse;
    if (isBudget(purse)) this.#leasedBudgets.moveLease(purse, amountNanoUsd);
    else if (keyId === null) this.#leases.query(LEASE_BALANCE).run(accountId, amountNanoUsd);
    else this.#leases.query(LEASE_LIMIT).run(accountId, keyId, amountNanoUsd);
  }

  #balanceRow(database: Database, accountId: string): BalanceRow | null {
    return database.query<BalanceRow, [string]>('SELECT * FROM balances WHERE account_id = ?').get(accountId);
  }
}

/** Of a purse, what open holds keep, which outlive every gateway. */
const HELD_OF_BALANCE = `
  SELECT coalesce(sum(from_balance_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = balances.account_id
`;
const HELD_OF_KEY = `
  SELECT coalesce(sum(from_limit_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = key_spending.account_id AND holds.key_id = key_spending.key_id
`;

/** `held_nano` are digits in the JSON. */
const HELD_OF_BUDGET = `
  SELECT coalesce(sum(cast(held.value ->> 'held_nano' AS integer)), 0) FROM holds, json_each(holds.budgets) AS held
  WHERE state = 'open' AND holds.account_id = budget_spending.account_id
    AND held.value ->> 'key_id' = budget_spending.key_id
    AND held.value ->> 'starts_at_ms' = budget_spending.starts_at_ms
    AND held.value ->> 'ends_at_ms' = budget_spending.ends_at_ms
`;

/** Ends the leases of a gateway that has ended; only a process with exclusive use of the data folder can know that. */
export function endLeases(database: Database): void {
  inTransaction(database, 'IMMEDIATE', () => {
    database.run(`UPDATE balances SET leased_nano = (${HELD_OF_BALANCE}) WHERE leased_nano <> 0`);
    database.run(`UPDATE key_spending SET leased_nano = (${HELD_OF_KEY}) WHERE leased_nano <> 0`);
    database.run(`UPDATE budget_spending SET leased_nano = (${HELD_OF_BUDGET}) WHERE leased_nano <> 0`);
  });
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
