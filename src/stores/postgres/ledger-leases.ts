import type { Pool } from 'pg';
import type { Purse } from '../../engine/ports/ledger.ts';
import { budgetPlace, isBudget } from '../shared/tables/budget-spending.ts';
import { query } from './connection.ts';
import type { LedgerNode } from './ledger-node.ts';
import { isPassing, retryWaitMs } from './ledger-retry.ts';

/** How often a node that the database has never heard of tries to say that it is there. */
const REGISTRATION_ATTEMPTS = 6;

const LEASE = 'select granted, others_expired from ledger_lease($1, $2, $3, $4, $5, $6, $7)';
const LEASE_BUDGET = 'select granted, others_expired from ledger_lease_budget($1, $2, $3, $4, $5, $6, $7, $8, $9)';
const GIVE_BACK = 'select ledger_give_back($1, $2, $3, $4, $5)';
const GIVE_BACK_BUDGET = 'select ledger_give_back_budget($1, $2, $3, $4, $5, $6, $7)';

export interface LedgerLeasesOptions {
  readonly pool: Pool;
  readonly node: LedgerNode;
}

/**
 * Leases and returns. Those of one purse are done one after the other, each under a number of its own, so that one whose
 * answer was lost can be sent again: the database knows which was its last.
 */
export class LedgerLeases {
  readonly #options: LedgerLeasesOptions;
  /** The last of each purse that something is asked of. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #operations = 0n;

  constructor(options: LedgerLeasesOptions) {
    this.#options = options;
  }

  /** Rejects if this node's leases were lost meanwhile; the holder of the leases was told, and may ask again. */
  async lease(purse: Purse, wanted: bigint, least: bigint, limit: bigint): Promise<bigint> {
    if (wanted <= 0n || least > wanted) return 0n;
    return this.#inTurn(purse, async () => {
      const nodeId = await this.#registered();
      const first = await this.#leaseOnce(nodeId, purse, wanted, least, limit);
      if (first.granted > 0n || !first.others_expired) return first.granted;
      await this.#options.node.endExpiredNodes();
      return (await this.#leaseOnce(nodeId, purse, wanted, least, limit)).granted;
    });
  }

  async giveBack(purse: Purse, amount: bigint): Promise<void> {
    // Asked here and not when its turn comes: what another node of this gateway holds by then was leased later.
    const nodeId = this.#options.node.id;
    if (amount <= 0n || nodeId === null) return;
    await this.#inTurn(purse, async () => {
      const operation = ++this.#operations;
      const values = [nodeId, ...placeOf(purse), operation, amount];
      await this.#untilDone(nodeId, () =>
        query(this.#options.pool, isBudget(purse) ? GIVE_BACK_BUDGET : GIVE_BACK, values),
      );
    });
  }

  async #leaseOnce(nodeId: string, purse: Purse, wanted: bigint, least: bigint, limit: bigint) {
    const { pool, node } = this.#options;
    const operation = ++this.#operations;
    const values = [nodeId, ...placeOf(purse), operation, wanted, least, limit];
    const answer = await this.#untilDone(nodeId, () =>
      query<{ granted: bigint | null; others_expired: boolean }>(pool, isBudget(purse) ? LEASE_BUDGET : LEASE, values),
    );
    const row = answer?.rows[0];
    if (row?.granted === null) node.lose(nodeId);
    if (row === undefined || row.granted === null || node.id !== nodeId)
      throw new Error('The leases of this node were lost.');
    return { granted: row.granted, others_expired: row.others_expired };
  }

  async #registered(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#options.node.register();
      } catch (error) {
        if (attempt >= REGISTRATION_ATTEMPTS || !isPassing(error)) throw error;
        await Bun.sleep(retryWaitMs(attempt));
      }
    }
  }

  /**
   * Tries again until it is known whether it was done, or until the node's leases are lost, and with them what this has
   * leased; then it gives `null`.
   */
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

  async #inTurn<Result>({ accountId, keyId, window }: Purse, work: () => Promise<Result>): Promise<Result> {
    const name = JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#turns.set(name, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === settled) this.#turns.delete(name);
    }
  }
}

function placeOf(purse: Purse): readonly (string | bigint)[] {
  return isBudget(purse) ? budgetPlace(purse) : [purse.accountId, purse.keyId ?? ''];
}
