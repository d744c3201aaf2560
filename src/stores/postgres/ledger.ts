import type pg from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { KeyPlace } from '../../engine/ports/key-use-store.ts';
import type {
  Balance,
  BudgetPool,
  BudgetSpending,
  Charge,
  EntryPlace,
  EntryQuery,
  KeySpending,
  LeasePlace,
  Ledger,
  LedgerEntry,
  LedgerPage,
  LedgerReport,
  NewEntry,
  PoolLease,
  SpendingPool,
} from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { ChargeQueue } from '../shared/charge-queue.ts';
import { readEntryPage } from '../shared/ledger-pages.ts';
import { ledgerConflict, refuseCharge, refuseMalformed } from '../shared/ledger-rules.ts';
import { retrying } from '../shared/retrying.ts';
import { type BudgetSpendingRow, budgetPlace, toBudgetSpending } from '../shared/tables/budget-spending.ts';
import {
  type BalanceRow,
  ENTRY_COLUMNS,
  type EntryRow,
  fromBalanceRow,
  fromEntryRow,
  fromSpendingRow,
  type SpendingRow,
} from '../shared/tables/ledger.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { bookCharges } from './charge-booking.ts';
import { query } from './connection.ts';
import { isPassing } from './database-away-error.ts';
import { among } from './key-places.ts';
import { LedgerLeases } from './ledger-leases.ts';
import { LedgerNode } from './ledger-node.ts';
import { LedgerRecalls } from './ledger-recalls.ts';
import type { Notifications } from './notifications.ts';
import { writeProblem } from './store-health.ts';
import { verifyLedger } from './verify-ledger.ts';

const DEFAULT_LEASE_MS = 15_000;

export interface PostgresLedgerOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** The gateway's name in the database and in its log; it need not be unique. */
  readonly nodeId: string;
  readonly logger: Logger;
  readonly health: WriteHealth;
  /** How long the leases of a stopped gateway are kept. */
  readonly leaseMs?: number;
  /** See `LedgerNodeOptions.onNodeChange`. */
  readonly onNodeChange?: () => void;
  /** Carries recalls between nodes; absent for a node that takes no part in them. */
  readonly notifications?: Notifications;
}

/** The ledger shared by several gateways. */
export class PostgresLedger implements Ledger {
  readonly isShared = true;
  readonly #pool: pg.Pool;
  #verifying: Promise<LedgerReport> | null = null;
  readonly #node: LedgerNode;
  readonly #leases: LedgerLeases;
  readonly #charges: ChargeQueue;
  readonly #recalls: LedgerRecalls | null;

  constructor(options: PostgresLedgerOptions) {
    this.#pool = options.pool;
    this.#node = new LedgerNode({ ...options, leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS });
    const { notifications } = options;
    const asking = { node: this.#node, underWay: (place: LeasePlace) => this.#leases.underWay(place) };
    this.#recalls = notifications ? new LedgerRecalls({ ...options, ...asking, notifications }) : null;
    this.#leases = new LedgerLeases({
      pool: options.pool,
      node: this.#node,
      recall: (spendingPool) => this.recall(spendingPool),
    });
    const { pool, logger } = options;
    this.#charges = new ChargeQueue({
      ...options,
      write: (batch) => bookCharges(pool, logger, batch),
      failureOf: (error) => (isPassing(error) ? 'passing' : 'charge'),
      problemOf: writeProblem,
    });
  }

  async lease(spendingPool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd: bigint = 0n): Promise<bigint> {
    return this.#leases.lease(spendingPool, wanted, least, limitNanoUsd);
  }

  async giveBack(spendingPool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    await this.#leases.giveBack(spendingPool, amountNanoUsd);
  }

  async giveBackUnheld(heldNanoUsd: (spendingPool: SpendingPool) => bigint): Promise<readonly PoolLease[]> {
    return this.#leases.giveBackUnheld(heldNanoUsd);
  }

  onRecall(listener: (place: LeasePlace) => Promise<boolean>): void {
    this.#recalls?.onRecall(listener);
  }

  /** Recalls other gateways' idle leases on an account's and a key's spending pools; resolves to whether any were released. */
  async recall(place: LeasePlace): Promise<boolean> {
    return (await this.#recalls?.recall(place)) === true;
  }

  onLeasesLost(listener: () => void): void {
    this.#node.onLost(listener);
  }

  async charge(charge: Charge): Promise<'charged' | 'known'> {
    return this.#charges.add(charge, this.#node.id);
  }

  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    refuseMalformed(entry);
    const outcome = await this.#append(entry);
    if (outcome === 'conflict') throw await this.#conflict(entry);
    return outcome;
  }

  async balance(accountId: string): Promise<Balance> {
    const { rows } = await query<BalanceRow>(this.#pool, `${SELECT_BALANCES} where account_id = $1`, [accountId]);
    const row = rows[0];
    return row === undefined ? { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n } : fromBalanceRow(row);
  }

  async balances(only?: readonly string[]): Promise<readonly Balance[]> {
    // A balance row without entries exists for the leases of a key.
    const { rows } = await query<BalanceRow>(
      this.#pool,
      `${SELECT_BALANCES} b where (
          exists (select from ledger_entries e where e.account_id = b.account_id)
          or exists (select from ledger_archived a where a.account_id = b.account_id)
        )
        and ${only === undefined ? 'true' : 'account_id = any($1)'} order by account_id`,
      only === undefined ? [] : [only],
    );
    return rows.map(fromBalanceRow);
  }

  async spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]> {
    const { condition, values } = among(only);
    const { rows } = await query<SpendingRow>(
      this.#pool,
      `select account_id, key_id, spent_nano, leased_nano from key_spending where spent_nano <> 0
        and ${condition} order by account_id, key_id`,
      values,
    );
    return rows.map(fromSpendingRow);
  }

  async budgetSpending(spendingPools: readonly BudgetPool[]): Promise<readonly BudgetSpending[]> {
    if (spendingPools.length === 0) return [];
    const places = spendingPools.map(budgetPlace);
    const columns = [0, 1, 2, 3].map((column) => places.map((place) => place[column]));
    const { rows } = await query<Pick<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>>(this.#pool, SPENT, columns);
    return spendingPools.map((spendingPool, index) =>
      toBudgetSpending(spendingPool, rows[index] ?? { spent_nano: 0n, leased_nano: 0n }),
    );
  }

  async entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]> {
    const { rows } = await query<EntryRow>(
      this.#pool,
      `select ${ENTRY_COLUMNS} from ledger_entries where account_id = $1 order by at_ms desc, sequence desc limit $2`,
      [accountId, Math.max(0, Math.floor(limit))],
    );
    return rows.map(fromEntryRow);
  }

  async page(of: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage> {
    const read = async (sql: string, values: readonly unknown[]) => (await query(this.#pool, sql, values)).rows;
    return readEntryPage({ query: of, after, limit }, '$', read);
  }

  async find(idempotencyKey: string): Promise<LedgerEntry | null> {
    const sql = `select ${ENTRY_COLUMNS} from ledger_entries where idempotency_key = $1`;
    const { rows } = await query<EntryRow>(this.#pool, sql, [idempotencyKey]);
    return rows[0] === undefined ? null : fromEntryRow(rows[0]);
  }

  async verify(): Promise<LedgerReport> {
    // It takes long and uses a connection, so concurrent callers share one report.
    this.#verifying ??= verifyLedger(this.#pool).finally(() => {
      this.#verifying = null;
    });
    return await this.#verifying;
  }

  /** Releases the leases of expired nodes. */
  async endExpiredNodes(): Promise<void> {
    await this.#node.endExpiredNodes();
  }

  /** Writes queued charges and releases all leases. The pool must still be open. */
  async close(): Promise<void> {
    await this.#charges.close();
    await this.#node.close();
  }

  async #append(entry: NewEntry): Promise<AppendOutcome> {
    const { idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note } = entry;
    const values = [idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, Math.floor(atMs), note];
    const sql = 'select ledger_append($1, $2, $3, $4, $5, $6, $7, $8) as outcome';
    const append = () => query<{ outcome: AppendOutcome }>(this.#pool, sql, values);
    return (await retrying(isPassing, append)).rows[0]?.outcome ?? 'conflict';
  }

  async #conflict(entry: NewEntry): Promise<Error> {
    const { rows } = await query<EntryRow>(
      this.#pool,
      `select ${ENTRY_COLUMNS} from ledger_entries where idempotency_key = $1`,
      [entry.idempotencyKey],
    );
    const [known] = rows.map(fromEntryRow);
    return known === undefined
      ? new Error(`The entry "${entry.idempotencyKey}" was not written.`)
      : ledgerConflict(known, entry);
  }
}

type AppendOutcome = 'appended' | 'known' | 'insufficient' | 'conflict';

const SPENT = `
  select coalesce(p.spent_nano, ledger_charged_in(account, key, starts, ends)) as spent_nano,
      coalesce(p.leased_nano, 0) as leased_nano
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
        with ordinality w (account, key, starts, ends, place)
      left join budget_spending p
        on (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms) = (account, key, starts, ends)
    order by place`;

const SELECT_BALANCES = 'select account_id, balance_nano, leased_nano from balances';
