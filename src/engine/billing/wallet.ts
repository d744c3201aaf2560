import { after } from '../../domain/concurrency/after.ts';
import { Bag, type Bagged } from '../../domain/concurrency/bag.ts';
import type { Budget } from '../../domain/money/budget.ts';
import type { LeaseFigures } from '../ports/figures.ts';
import type { Ledger, SpendingPool } from '../ports/ledger.ts';
import { fromLedger } from './ledger-away.ts';

/** The budget whose period a wallet's spending pool is. */
export interface WalletBudget {
  readonly budget: Budget;
  /** Whether the wallet serves the budget's cheaper model, up to the ceiling, and not all other models, up to the threshold. */
  readonly isCeiling: boolean;
}

/** The number of reservations of one size that are leased at once, so that the store is asked once for all of them. */
const LEASED_AHEAD = 64;
/**
 * The same number at first if other gateways lease from the same spending pool, because money that is idle here has to be recalled from there.
 * It doubles, up to `LEASED_AHEAD`, with each lease that was granted in full and used up soon.
 */
const LEASED_AHEAD_OF_SHARED = 8;
const USED_UP_SOON_MS = 1_000;
/** With money for fewer reservations left, more is leased in advance, because a lease may wait for charges in flight. */
const REFILL_BELOW = 16n;
/** How long an empty spending pool is remembered, for requests of at least the same amount. */
const EMPTY_LASTS_MS = 50;

/** The part of a charge that leases cover, and the epoch of these leases. */
export interface Cover {
  readonly amountNanoUsd: bigint;
  readonly epoch: number;
}

/** Counts the outcomes of requests for leases, of all wallets. */
export interface LeaseCounts {
  granted: number;
  refused: number;
  failed: number;
}

/** An amount that the ledger has leased to a wallet, and the epoch that the lease belongs to. */
interface Grant {
  readonly amountNanoUsd: bigint;
  readonly epoch: number;
}

/** A reservation of the largest bill, which can be lowered to the likely cost of its request. */
export interface Lowerable {
  lower(): Promise<void>;
}

/** The place where a wallet finds a reservation that it may lower. */
export interface LowerablePlace extends Bagged {
  readonly lowerable: Lowerable | null;
}

/** How much a spending pool must have for a reservation: the amount itself, or enough that other requests are not blocked. */
export type Needs = 'enough' | 'plenty';
/** A spending pool has plenty if this multiple of the amount is free, or if the last lease was granted in full. */
const PLENTY = 4n;

/**
 * The money that this process has leased from one spending pool. A reservation takes from it in memory, in one atomic step; the ledger is asked
 * only when it runs out.
 */
export class Wallet {
  /** Leased, and not reserved for any request. */
  private free = 0n;
  /** Reserved for requests. */
  private reserved = 0n;
  /** Taken for charges that have not been written yet. */
  private covering = 0n;
  /** On its way back to the ledger. */
  private returning = 0n;
  /** The number of lease calls in flight. */
  private asking = 0;
  private usedAtMs = 0;
  private leasing: Promise<void> | null = null;
  /** The number of reservations that wait for the lease. */
  private waiting = 0;
  /** Whether the last lease was granted in full. */
  private hadPlenty = false;
  /** The number of reservations of the last lease from a shared spending pool, and its time. */
  private aheadOfShared = 0;
  private leasedAtMs = Number.NEGATIVE_INFINITY;
  private empty: { readonly forNanoUsd: bigint; readonly untilMs: number } | null = null;
  /** Whether the period's spending has reached the limit. It never falls, so no lease has to be asked for again. */
  isSpent = false;
  /** Called when a forgotten wallet is used again by a request that still refers to it. */
  private remember: ((wallet: Wallet) => void) | null = null;
  /** The reservations of the largest bill that can still be lowered. */
  readonly lowerable = new Bag<LowerablePlace>();
  private readonly lowering = new Set<Promise<void>>();
  /** Increases when the leases are lost. Reservations of an earlier epoch are no longer covered. */
  epoch = 0;

  constructor(
    private readonly ledger: Ledger,
    readonly pool: SpendingPool,
    readonly limitNanoUsd: bigint | undefined,
    /** `null` for the balance and for a key's limit. */
    readonly of: WalletBudget | null = null,
    private readonly counts: LeaseCounts = { granted: 0, refused: 0, failed: 0 },
  ) {}

  /** Reserves the amount, or resolves to `false` if the spending pool does not have enough. */
  reserve(amountNanoUsd: bigint, nowMs: number, needs: Needs = 'enough'): boolean | Promise<boolean> {
    this.used(nowMs);
    if (this.takeFree(amountNanoUsd, needs)) {
      if (this.free < amountNanoUsd * REFILL_BELOW) this.refill(amountNanoUsd, nowMs);
      return true;
    }
    if (this.leasing) return this.reserveAfter(this.leasing, amountNanoUsd, nowMs, needs);
    const needed = needs === 'plenty' ? amountNanoUsd * PLENTY : amountNanoUsd;
    const missing = needed - this.free;
    if (this.empty && missing >= this.empty.forNanoUsd && nowMs < this.empty.untilMs) return false;
    const leased = this.lease(missing, amountNanoUsd, nowMs);
    return leased instanceof Promise
      ? this.reserveAfter(leased, amountNanoUsd, nowMs, needs)
      : this.takeFree(amountNanoUsd, needs);
  }

  /** Lets the next reservation ask the ledger again, because money was returned to the spending pool. */
  refilled(): void {
    this.empty = null;
  }

  /**
   * Detaches the wallet, so that no new request finds it. A request that still refers to it may lease into it after waiting for another
   * spending pool; `remember` is then called once, so that this lease is not lost.
   */
  forget(remember: (wallet: Wallet) => void): void {
    this.remember = remember;
  }

  /**
   * Lowers one reservation from the largest possible cost to the likely one, or waits for one that is being lowered, because another
   * request needs the money. Resolves to `false` if no reservation can be lowered.
   */
  async lowerOne(): Promise<boolean> {
    const next = this.lowerable.any;
    if (next === undefined) {
      const [underWay] = this.lowering;
      await underWay;
      return underWay !== undefined;
    }
    this.lowerable.delete(next);
    const lowering = (next.lowerable?.lower() ?? Promise.resolve()).finally(() => this.lowering.delete(lowering));
    this.lowering.add(lowering);
    await lowering;
    return true;
  }

  /** Marks the wallet as used: the request that now refers to it may wait for another spending pool before it uses this one. */
  given(nowMs: number): void {
    this.usedAtMs = nowMs;
  }

  wasUsedAfter(timeMs: number): boolean {
    return this.usedAtMs > timeMs;
  }

  private used(nowMs: number): void {
    this.given(nowMs);
    const { remember } = this;
    if (remember === null) return;
    this.remember = null;
    remember(this);
  }

  /** Leases in advance, except from a spending pool that is nearly empty, or that is shared and little used here. */
  private refill(amountNanoUsd: bigint, nowMs: number): void {
    if (this.leasing !== null || !this.hadPlenty) return;
    if (this.ledger.isShared && this.aheadOfShared < LEASED_AHEAD) return;
    try {
      // If this fails, the lease that a reservation needs fails as well, and reports the error.
      this.lease(amountNanoUsd, amountNanoUsd, nowMs)?.catch(() => {});
    } catch {}
  }

  private async reserveAfter(
    leasing: Promise<void>,
    amountNanoUsd: bigint,
    nowMs: number,
    needs: Needs,
  ): Promise<boolean> {
    this.waiting++;
    try {
      await leasing;
    } finally {
      this.waiting--;
    }
    return this.reserve(amountNanoUsd, nowMs, needs);
  }

  /** Returns the number of reservations to lease now. */
  private ahead(nowMs: number): bigint {
    if (!this.ledger.isShared) return BigInt(LEASED_AHEAD);
    const isBusy = this.hadPlenty && nowMs - this.leasedAtMs < USED_UP_SOON_MS;
    this.aheadOfShared = isBusy ? Math.min(this.aheadOfShared * 2, LEASED_AHEAD) : LEASED_AHEAD_OF_SHARED;
    this.leasedAtMs = nowMs;
    return BigInt(this.aheadOfShared + this.waiting);
  }

  private takeFree(amountNanoUsd: bigint, needs: Needs): boolean {
    const needed = needs === 'plenty' && !this.hadPlenty ? amountNanoUsd * PLENTY : amountNanoUsd;
    if (this.free < needed) return false;
    this.free -= amountNanoUsd;
    this.reserved += amountNanoUsd;
    return true;
  }

  /** Leases for reservations of the amount, or `least` if that is more; nothing if the spending pool has less than `least`. */
  private lease(least: bigint, amountNanoUsd: bigint, nowMs: number): undefined | Promise<void> {
    const wanted = amountNanoUsd * this.ahead(nowMs);
    const asked = wanted > least ? wanted : least;
    const take = (granted: Grant) => {
      this.hadPlenty = granted.amountNanoUsd >= asked;
      if (granted.amountNanoUsd === 0n) this.empty = { forNanoUsd: least, untilMs: nowMs + EMPTY_LASTS_MS };
      else this.takeIn(granted);
    };
    const granted = this.ask(asked, least);
    if (!(granted instanceof Promise)) {
      take(granted);
      return undefined;
    }
    this.leasing = granted.then(take).finally(() => {
      this.leasing = null;
    });
    return this.leasing;
  }

  /** Discards a grant of a lost epoch, which was lost with it. */
  private takeIn({ amountNanoUsd, epoch }: Grant): void {
    if (epoch === this.epoch) this.free += amountNanoUsd;
  }

  private ask(wanted: bigint, least: bigint): Grant | Promise<Grant> {
    const granting = fromLedger(() => {
      const granted = this.askOnce(wanted, least);
      // One retry: the first attempt fails if all leases were lost while it was in flight, and then nothing was granted.
      return granted instanceof Promise ? granted.catch(() => this.askOnce(wanted, least)) : granted;
    });
    return after(
      granting,
      (grant) => this.counted(grant),
      (error) => {
        this.counts.failed++;
        throw error;
      },
    );
  }

  private counted(grant: Grant): Grant {
    if (grant.amountNanoUsd === 0n) this.counts.refused++;
    else this.counts.granted++;
    return grant;
  }

  private askOnce(wanted: bigint, least: bigint): Grant | Promise<Grant> {
    // The ledger rejects an attempt during which the leases are lost, so a grant belongs to the epoch in which its attempt began.
    const { epoch } = this;
    const granted = this.ledger.lease(this.pool, wanted, least, this.limitNanoUsd);
    if (!(granted instanceof Promise)) return { amountNanoUsd: granted, epoch };
    this.asking++;
    return granted
      .then((amountNanoUsd) => ({ amountNanoUsd, epoch }))
      .finally(() => {
        this.asking--;
      });
  }

  /**
   * Ends a reservation that was made in `epoch`: `spent` of it goes to a charge, the rest is free again. Cost beyond the reservation, and
   * reservations lost with their epoch, are covered as far as the wallet or the spending pool has money. Resolves to the covered part of the
   * charge, which must be ended with `putBack` and `charged`.
   */
  settle(reserved: bigint, spent: bigint, epoch: number, nowMs: number): Cover | Promise<Cover> {
    this.used(nowMs);
    if (epoch === this.epoch) {
      this.reserved -= reserved;
      this.free += reserved;
      this.empty = null;
    }
    return this.cover(spent);
  }

  private cover(spent: bigint): Cover | Promise<Cover> {
    const { epoch } = this;
    const amountNanoUsd = spent < this.free ? spent : this.free;
    this.free -= amountNanoUsd;
    this.covering += amountNanoUsd;
    const covered = { amountNanoUsd, epoch };
    return amountNanoUsd === spent ? covered : this.coverRest(spent, covered);
  }

  /** Asks the ledger for the part of `spent` that the wallet could not cover. */
  private coverRest(spent: bigint, covered: Cover): Cover | Promise<Cover> {
    const { amountNanoUsd, epoch } = covered;
    const joined = (grant: Grant): Cover | Promise<Cover> => {
      if (epoch !== this.epoch || grant.epoch !== epoch) {
        // The leases were lost in the meantime, so the whole amount has to be covered again.
        this.takeIn(grant);
        return this.cover(spent);
      }
      this.covering += grant.amountNanoUsd;
      return { amountNanoUsd: amountNanoUsd + grant.amountNanoUsd, epoch };
    };
    return after(this.ask(spent - amountNanoUsd, 1n), joined, (error) => {
      this.putBack(covered);
      throw error;
    });
  }

  /** Returns unneeded cover from `settle` to the wallet. */
  putBack({ amountNanoUsd, epoch }: Cover): void {
    if (epoch !== this.epoch) return;
    this.covering -= amountNanoUsd;
    this.free += amountNanoUsd;
  }

  /** Ends the cover of a charge that was written or abandoned. Money leased for an abandoned charge is later returned as unneeded. */
  charged({ amountNanoUsd, epoch }: Cover): void {
    if (epoch === this.epoch) this.covering -= amountNanoUsd;
  }

  /** Returns free leases to the ledger, where other gateways or the operator may need them. Resolves to whether there were any. */
  async giveBackIdle(beforeMs: number): Promise<boolean> {
    if (this.wasUsedAfter(beforeMs) || this.free === 0n) return false;
    const { free: amount, epoch } = this;
    this.free = 0n;
    this.returning += amount;
    // Little is leased at first again, because another gateway needs the money, or this one does not.
    this.leasedAtMs = Number.NEGATIVE_INFINITY;
    try {
      await this.ledger.giveBack(this.pool, amount);
      return true;
    } finally {
      // After an error the ledger may or may not have the money. If not, it is later returned as unneeded.
      if (epoch === this.epoch) this.returning -= amount;
    }
  }

  /** The leased amount that the process still needs or is returning. Any further lease on the spending pool has been lost track of. */
  get neededNanoUsd(): bigint {
    return this.free + this.reserved + this.covering + this.returning;
  }

  /** The leased amount by what it is used for. */
  get parts(): Pick<LeaseFigures, 'free' | 'reserved' | 'charging' | 'returning'> {
    const { free, reserved, covering: charging, returning } = this;
    return { free, reserved, charging, returning };
  }

  lose(): void {
    this.epoch++;
    this.free = 0n;
    this.reserved = 0n;
    this.covering = 0n;
    this.returning = 0n;
    this.empty = null;
  }

  get isIdle(): boolean {
    return this.neededNanoUsd === 0n && this.asking === 0 && this.leasing === null;
  }
}
