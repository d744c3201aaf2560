import type { Pool } from 'pg';
import type { LeasePlace, PoolLease, SpendingPool } from '../../engine/ports/ledger.ts';
import { retrying, retryWaitMs } from '../shared/retrying.ts';
import { budgetPlace, isBudget } from '../shared/tables/budget-spending.ts';
import { fromLeaseRow, type LeaseRow } from '../shared/tables/ledger.ts';
import { giveBackUnneeded, PoolTurns } from '../shared/unneeded-leases.ts';
import { query } from './connection.ts';
import { isPassing } from './database-away-error.ts';
import type { LedgerNode } from './ledger-node.ts';

/** The number of attempts to register a node that the database does not know. */
const REGISTRATION_ATTEMPTS = 6;

/** The most recalls for one lease, since released amounts may be leased by another node first. */
const RECALLS = 20;

const LOST = 'The leases of this node were lost.';

const LEASE = 'select granted, others_expired from ledger_lease($1, $2, $3, $4, $5, $6, $7)';
const LEASE_BUDGET = 'select granted, others_expired from ledger_lease_budget($1, $2, $3, $4, $5, $6, $7, $8, $9)';
const GIVE_BACK = 'select ledger_give_back($1, $2, $3, $4, $5)';
const GIVE_BACK_BUDGET = 'select ledger_give_back_budget($1, $2, $3, $4, $5, $6, $7)';

/** Parameters: the node, or the node and one spending pool. */
const LEASES = `
  select account_id, key_id, null::bigint as starts_at_ms, null::bigint as ends_at_ms, amount_nano as leased_nano
    from leases where node_id = $1 and amount_nano > 0`;
const BUDGET_LEASES = `
  select account_id, key_id, starts_at_ms, ends_at_ms, amount_nano as leased_nano
    from budget_leases where node_id = $1 and amount_nano > 0`;
const ALL_LEASES = `${LEASES} union all ${BUDGET_LEASES}`;
const LEASE_OF = `${LEASES} and (account_id, key_id) = ($2, $3)`;
const BUDGET_LEASE_OF = `${BUDGET_LEASES} and (account_id, key_id, starts_at_ms, ends_at_ms) = ($2, $3, $4, $5)`;

export interface LedgerLeasesOptions {
  readonly pool: Pool;
  readonly node: LedgerNode;
  /** Recalls idle leases of other nodes; resolves to whether any were released. */
  readonly recall: (spendingPool: SpendingPool) => Promise<boolean>;
}

/**
 * Leases and releases. Operations on one spending pool run one after another and are numbered, so that one whose response was lost can be sent
 * again: the database knows the last number.
 */
export class LedgerLeases {
  readonly #options: LedgerLeasesOptions;
  readonly #turns = new PoolTurns();
  #operations = 0n;

  constructor(options: LedgerLeasesOptions) {
    this.#options = options;
  }

  /**
   * Rejects if this node's leases were lost since the call; the holder was notified and may call again. Otherwise a call that was queued
   * during the loss would receive a lease of the next node, which the holder would take for a lost one.
   */
  async lease(spendingPool: SpendingPool, wanted: bigint, least: bigint, limit: bigint): Promise<bigint> {
    if (wanted <= 0n || least > wanted) return 0n;
    const { node, recall } = this.#options;
    const { losses } = node;
    let granted = await this.#leaseInTurn(spendingPool, [wanted, least, limit], losses);
    // Recalls outside of this spending pool's turn, since a node that recalls from this one waits for a release that needs the turn. When money is
    // scarce, nothing is leased in advance.
    for (let round = 0; granted === 0n && round < RECALLS && (await recall(spendingPool)); round++) {
      granted = await this.#leaseInTurn(spendingPool, [least, least, limit], losses);
    }
    return granted;
  }

  #leaseInTurn(
    spendingPool: SpendingPool,
    [wanted, least, limit]: readonly [wanted: bigint, least: bigint, limit: bigint],
    losses: number,
  ): Promise<bigint> {
    return this.#turns.run(spendingPool, async () => {
      const nodeId = await this.#registered();
      if (this.#options.node.losses !== losses) throw new Error(LOST);
      const first = await this.#leaseOnce(nodeId, spendingPool, wanted, least, limit);
      if (first.granted > 0n || !first.others_expired) return first.granted;
      await this.#options.node.endExpiredNodes();
      return (await this.#leaseOnce(nodeId, spendingPool, wanted, least, limit)).granted;
    });
  }

  /**
   * Resolves when the operations in flight on these spending pools, except budgets, are done. A lease that is recalling from other nodes is not
   * waited for.
   */
  async underWay({ accountId, keyId }: LeasePlace): Promise<void> {
    const nothing = async () => undefined;
    await this.#turns.run({ accountId, keyId: null }, nothing);
    if (keyId !== null) await this.#turns.run({ accountId, keyId }, nothing);
  }

  async giveBack(spendingPool: SpendingPool, amount: bigint): Promise<void> {
    // Read here rather than in its turn: leases of this gateway's next node id are made later.
    const nodeId = this.#options.node.id;
    if (amount <= 0n || nodeId === null) return;
    await this.#turns.run(spendingPool, () => this.#giveBack(nodeId, spendingPool, amount));
  }

  /** See `Ledger.giveBackUnneeded`. */
  async giveBackUnneeded(heldNanoUsd: (spendingPool: SpendingPool) => bigint): Promise<readonly PoolLease[]> {
    const nodeId = this.#options.node.id;
    if (nodeId === null) return [];
    return await giveBackUnneeded(heldNanoUsd, {
      turns: this.#turns,
      leases: (only) => this.#leases(nodeId, only),
      giveBack: (spendingPool, amountNanoUsd) => this.#giveBack(nodeId, spendingPool, amountNanoUsd),
    });
  }

  /** Returns nothing if the node was lost meanwhile, since others then release its leases. */
  async #leases(nodeId: string, only?: SpendingPool): Promise<readonly PoolLease[]> {
    const sql = only === undefined ? ALL_LEASES : isBudget(only) ? BUDGET_LEASE_OF : LEASE_OF;
    const place = only === undefined ? [] : placeOf(only);
    const { rows } = await query<LeaseRow>(this.#options.pool, sql, [nodeId, ...place]);
    return this.#options.node.id === nodeId ? rows.map(fromLeaseRow) : [];
  }

  async #giveBack(nodeId: string, spendingPool: SpendingPool, amount: bigint): Promise<void> {
    const operation = ++this.#operations;
    const values = [nodeId, ...placeOf(spendingPool), operation, amount];
    await this.#untilDone(nodeId, () =>
      query(this.#options.pool, isBudget(spendingPool) ? GIVE_BACK_BUDGET : GIVE_BACK, values),
    );
  }

  async #leaseOnce(nodeId: string, spendingPool: SpendingPool, wanted: bigint, least: bigint, limit: bigint) {
    const { pool, node } = this.#options;
    const operation = ++this.#operations;
    const values = [nodeId, ...placeOf(spendingPool), operation, wanted, least, limit];
    const answer = await this.#untilDone(nodeId, () =>
      query<{ granted: bigint | null; others_expired: boolean }>(
        pool,
        isBudget(spendingPool) ? LEASE_BUDGET : LEASE,
        values,
      ),
    );
    const row = answer?.rows[0];
    if (row?.granted === null) node.lose(nodeId);
    if (row === undefined || row.granted === null || node.id !== nodeId) throw new Error(LOST);
    return { granted: row.granted, others_expired: row.others_expired };
  }

  #registered(): Promise<string> {
    return retrying(isPassing, () => this.#options.node.register(), REGISTRATION_ATTEMPTS);
  }

  /** Retries until the outcome is known, or until the node's leases, including this one, are lost; then returns `null`. */
  async #untilDone<Result>(nodeId: string, send: () => Promise<Result>): Promise<Result | null> {
    for (let attempt = 1; this.#options.node.id === nodeId; attempt++) {
      try {
        return await send();
      } catch (error) {
        if (!isPassing(error)) throw error;
        await Bun.sleep(retryWaitMs(attempt));
      }
    }
    return null;
  }
}

function placeOf(spendingPool: SpendingPool): readonly (string | bigint)[] {
  return isBudget(spendingPool) ? budgetPlace(spendingPool) : [spendingPool.accountId, spendingPool.keyId ?? ''];
}
