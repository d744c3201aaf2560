import type pg from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type {
  BudgetPool,
  BudgetSpending,
  Charge,
  LeasePlace,
  LedgerReport,
  NewEntry,
  PoolLease,
  SpendingPool,
} from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { ChargeQueue } from '../shared/charge-queue.ts';
import { ledgerConflict, refuseCharge, refuseMalformed } from '../shared/ledger-rules.ts';
import { retrying } from '../shared/retrying.ts';
import { type BudgetSpendingRow, budgetPlace, toBudgetSpending } from '../shared/tables/budget-spending.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { SqlLedger } from '../sql/ledger/sql-ledger.ts';
import { bookCharges } from './charge-booking.ts';
import { query } from './connection.ts';
import { isPassing } from './database-away-error.ts';
import { LedgerLeases } from './ledger-leases.ts';
import { LedgerNode } from './ledger-node.ts';
import { LedgerRecalls } from './ledger-recalls.ts';
import type { Notifications } from './notifications.ts';
import { PostgresRunner } from './runner.ts';
import { writeProblem } from './store-health.ts';
import { verifyLedger } from './verify-ledger.ts';

const DEFAULT_LEASE_MS = 15_000;
/** The longest wait for more charges. A commit costs the database as much as ten to twenty further charges in it. */
const MOST_GATHER_MS = 4;

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
export class PostgresLedger extends SqlLedger {
  readonly isShared = true;
  #uncoveredNanoUsd = 0n;
  readonly #pool: pg.Pool;
  readonly #node: LedgerNode;
  readonly #leases: LedgerLeases;
  readonly #recalls: LedgerRecalls | null;

  constructor(options: PostgresLedgerOptions) {
    const { pool, logger } = options;
    const charges = new ChargeQueue({
      ...options,
      write: async (batch) => {
        const { outcomes, uncoveredNanoUsd } = await bookCharges(pool, logger, batch);
        this.#uncoveredNanoUsd += uncoveredNanoUsd;
        return outcomes;
      },
      failureOf: (error) => (isPassing(error) ? 'passing' : 'charge'),
      problemOf: writeProblem,
      // At most half of the time, so that the nodes' commits take turns at the database instead of filling it.
      gatherMs: (lastWriteMs) => Math.min(Math.round(lastWriteMs), MOST_GATHER_MS),
    });
    const reader = new PostgresRunner(pool);
    super({ reader, search: reader }, charges);
    this.#pool = pool;
    this.#node = new LedgerNode({ ...options, leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS });
    const { notifications } = options;
    const asking = { node: this.#node, underWay: (place: LeasePlace) => this.#leases.underWay(place) };
    this.#recalls = notifications ? new LedgerRecalls({ ...options, ...asking, notifications }) : null;
    this.#leases = new LedgerLeases({
      pool: options.pool,
      node: this.#node,
      recall: (spendingPool) => this.recall(spendingPool),
    });
  }

  /** The charges since the start that arrived after their leases had expired. */
  get uncoveredNanoUsd(): bigint {
    return this.#uncoveredNanoUsd;
  }

  async lease(spendingPool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd: bigint = 0n): Promise<bigint> {
    return this.#leases.lease(spendingPool, wanted, least, limitNanoUsd);
  }

  async giveBack(spendingPool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    await this.#leases.giveBack(spendingPool, amountNanoUsd);
  }

  async giveBackUnneeded(heldNanoUsd: (spendingPool: SpendingPool) => bigint): Promise<readonly PoolLease[]> {
    return this.#leases.giveBackUnneeded(heldNanoUsd);
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

  override charge(charge: Charge): Promise<'charged' | 'known'> {
    return this.charges.add(charge, this.#node.id);
  }

  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    refuseMalformed(entry);
    const outcome = await this.#append(entry);
    if (outcome === 'conflict') throw await this.#conflict(entry);
    return outcome;
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

  protected verifyNow(): Promise<LedgerReport> {
    return verifyLedger(this.#pool);
  }

  /** Releases the leases of expired nodes. */
  async endExpiredNodes(): Promise<void> {
    await this.#node.endExpiredNodes();
  }

  /** Writes queued charges and releases all leases. The pool must still be open. */
  async close(): Promise<void> {
    await this.charges.close();
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
    const known = await this.find(entry.idempotencyKey);
    return known === null
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
