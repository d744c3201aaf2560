import { type Charge, isSamePool, type Ledger, type SpendingPool } from '../../../src/engine/ports/ledger.ts';
import { OpenLeases } from '../../../src/stores/shared/open-leases.ts';
import { giveBackUnneeded, PoolTurns } from '../../../src/stores/shared/unneeded-leases.ts';

/**
 * The fault of one ledger call: it is refused without effect, it succeeds but its answer is lost, it fails now and the database executes it
 * later, or this gateway loses its leases while the call is in flight.
 */
export type Fault = 'refused' | 'answer-lost' | 'done-late' | 'leases-lost';

/** One gateway's access to shared books, as over PostgreSQL, with injected faults. */
export class GatewayLedger implements Ledger {
  readonly isShared = true;
  private readonly turns = new PoolTurns();
  private leases = new OpenLeases();
  /** The leases of this gateway's former nodes, until the database expires them. */
  private readonly lost: OpenLeases[] = [];
  private readonly late: (() => Promise<unknown>)[] = [];
  private readonly listeners: (() => void)[] = [];

  /** @param nextFault chooses the fault of each lease, return and charge */
  constructor(
    private readonly books: Ledger,
    private readonly nextFault: () => Fault | null,
  ) {}

  async lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd?: bigint): Promise<bigint> {
    const calledIn = this.leases;
    return await this.turns.run(pool, async () => {
      const node = this.leases;
      if (node !== calledIn) throw new Error('The leases were lost.');
      const granted = await this.faulty(async () => {
        const leased = await this.books.lease(pool, wanted, least, limitNanoUsd);
        node.leased(pool, leased);
        return leased;
      });
      if (node !== this.leases) throw new Error('The leases were lost.');
      return granted;
    });
  }

  async giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    const node = this.leases;
    await this.turns.run(pool, () => this.faulty(() => this.giveBackOf(node, pool, amountNanoUsd)));
  }

  giveBackUnneeded(heldNanoUsd: (pool: SpendingPool) => bigint) {
    const node = this.leases;
    return giveBackUnneeded(heldNanoUsd, {
      turns: this.turns,
      leases: async (only) =>
        node === this.leases ? node.all().filter(({ pool }) => only === undefined || isSamePool(pool, only)) : [],
      giveBack: (pool, amountNanoUsd) => this.giveBackOf(node, pool, amountNanoUsd),
    });
  }

  async charge(charge: Charge): Promise<'charged' | 'known'> {
    const node = this.leases;
    return await this.faulty(async () => {
      const outcome = await this.books.charge(charge);
      if (outcome === 'charged') node.charged(charge);
      return outcome;
    });
  }

  loseLeases(): void {
    this.lost.push(this.leases);
    this.leases = new OpenLeases();
    for (const listener of this.listeners) listener();
  }

  /** Lets the database execute the delayed calls. */
  async thaw(): Promise<void> {
    for (const work of this.late.splice(0)) await work();
  }

  /** Lets the database expire the former nodes of this gateway. */
  async expire(): Promise<void> {
    for (const node of this.lost) {
      for (const { pool, leasedNanoUsd } of node.takeAll()) await this.books.giveBack(pool, leasedNanoUsd);
    }
  }

  onLeasesLost(listener: () => void): void {
    this.listeners.push(listener);
  }

  onRecall(): void {}

  readonly append: Ledger['append'] = (entry) => this.books.append(entry);
  readonly balance: Ledger['balance'] = (accountId) => this.books.balance(accountId);
  readonly credits: Ledger['credits'] = (accountId) => this.books.credits(accountId);
  readonly balances: Ledger['balances'] = (only) => this.books.balances(only);
  readonly spending: Ledger['spending'] = (only) => this.books.spending(only);
  readonly budgetSpending: Ledger['budgetSpending'] = (pools) => this.books.budgetSpending(pools);
  readonly entries: Ledger['entries'] = (accountId, limit) => this.books.entries(accountId, limit);
  readonly page: Ledger['page'] = (query, after, limit) => this.books.page(query, after, limit);
  readonly find: Ledger['find'] = (idempotencyKey) => this.books.find(idempotencyKey);
  readonly verify: Ledger['verify'] = () => this.books.verify();

  /** Returns only what the node still leases: an ended node has no leases to return. */
  private async giveBackOf(node: OpenLeases, pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    const lease = node.all().find((one) => isSamePool(one.pool, pool));
    const most = lease?.leasedNanoUsd ?? 0n;
    const given = amountNanoUsd < most ? amountNanoUsd : most;
    node.givenBack(pool, given);
    await this.books.giveBack(pool, given);
  }

  private async faulty<Result>(work: () => Promise<Result>): Promise<Result> {
    const fault = this.nextFault();
    // Other work proceeds in the meantime, as over a network.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (fault === 'refused') throw new Error('The database has refused it.');
    if (fault === 'done-late') {
      this.late.push(work);
      throw new Error('The database did not respond.');
    }
    const result = await work();
    if (fault === 'leases-lost') this.loseLeases();
    if (fault === 'answer-lost') throw new Error('The connection was lost.');
    return result;
  }
}
