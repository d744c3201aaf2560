import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { type Budget, budgetWindow } from '../../domain/money/budget.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Clock } from '../ports/clock.ts';
import type { LeaseFigures } from '../ports/figures.ts';
import { type BudgetPool, isSamePool, type LeasePlace, type Ledger, type SpendingPool } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import { type LeaseCounts, Wallet } from './wallet.ts';

/** A wallet that was not used for this long returns its leases. */
const IDLE_MS = 2_000;
/** The interval at which the ledger is searched for leases that no wallet holds. */
const COMPARED_EVERY_MS = 5_000;

/** The spending pools that limit a request. */
export interface Limiting {
  readonly wallets: readonly Wallet[];
  /** The time that selected the budget periods among them; `null` without budgets. */
  readonly budgetsAtMs: number | null;
}

interface KeyWallet {
  readonly wallet: Wallet;
  readonly limitNanoUsd: bigint;
}

interface BudgetWallet {
  readonly wallet: Wallet;
  readonly pool: BudgetPool;
  readonly budget: Budget;
}

/** The wallets of this process: one per account, one per key with a limit, and one for the current period of each budget. */
export class Wallets {
  private readonly counts: LeaseCounts = { granted: 0, refused: 0, failed: 0 };
  private losses = 0;
  private readonly accounts = new Map<string, Wallet>();
  private readonly keys = new Map<string, KeyWallet>();
  private readonly budgets = new Map<string, BudgetWallet>();

  constructor(private readonly ports: { readonly ledger: Ledger; readonly clock: Clock; readonly logger: Logger }) {
    ports.ledger.onLeasesLost(() => {
      this.losses++;
      ports.logger.warn({}, 'balance leases were lost and are being acquired again');
      for (const wallet of this.all()) wallet.lose();
    });
    ports.ledger.onRecall((place) => this.giveBackFree(place));
  }

  /** Returns the wallets that limit what an account spends with one of its keys; none if there is no limit. */
  limiting(principal: Principal): Limiting {
    const limiting = this.limitingOf(principal);
    const nowMs = this.ports.clock.monotonicMs();
    for (const wallet of limiting.wallets) wallet.given(nowMs);
    return limiting;
  }

  private limitingOf({ account, credential }: Principal): Limiting {
    const wallets: Wallet[] = [];
    if (account.billing === 'prepaid') wallets.push(this.account(account.id));
    const key = this.key(credential);
    if (key !== null) wallets.push(key);
    if (account.budget === null && credential.budget === null) return { wallets, budgetsAtMs: null };
    const atMs = this.ports.clock.nowMs();
    for (const wallet of [this.accountBudget(account, atMs), this.keyBudget(credential, atMs)]) {
      if (wallet !== null) wallets.push(wallet);
    }
    return { wallets, budgetsAtMs: atMs };
  }

  account(accountId: string): Wallet {
    let wallet = this.accounts.get(accountId);
    if (!wallet) {
      wallet = new Wallet(this.ports.ledger, { accountId, keyId: null }, undefined, null, this.counts);
      this.accounts.set(accountId, wallet);
    }
    return wallet;
  }

  /** Returns the wallet of a key; `null` for a key without a limit. */
  key({ accountId, id, limitNanoUsd }: Credential): Wallet | null {
    if (limitNanoUsd === null) return null;
    const name = JSON.stringify([accountId, id]);
    const known = this.keys.get(name);
    if (known?.limitNanoUsd === limitNanoUsd) return known.wallet;
    // A changed limit replaces the wallet.
    if (known) this.retire(known.wallet);
    const wallet = new Wallet(this.ports.ledger, { accountId, keyId: id }, limitNanoUsd, null, this.counts);
    this.keys.set(name, { wallet, limitNanoUsd });
    return wallet;
  }

  private accountBudget({ id, budget }: Account, atMs: number): Wallet | null {
    return budget === null ? null : this.budget(id, { accountId: id, keyId: null }, budget, atMs);
  }

  private keyBudget({ accountId, id, budget }: Credential, atMs: number): Wallet | null {
    if (budget === null) return null;
    return this.budget(JSON.stringify([accountId, id]), { accountId, keyId: id }, budget, atMs);
  }

  /**
   * Returns the wallet of the period that contains `atMs`. A new period or a changed budget replaces it; requests that have reserved from
   * the former wallet are charged from it.
   */
  private budget(name: string, owner: SpendingPool, budget: Budget, atMs: number): Wallet {
    const known = this.budgets.get(name);
    if (known !== undefined && isSameBudget(known.budget, budget) && isWithin(known.pool, atMs)) return known.wallet;
    if (known !== undefined) this.retire(known.wallet);
    const pool = { ...owner, window: budgetWindow(budget, atMs) };
    const wallet = new Wallet(this.ports.ledger, pool, budget.amountNanoUsd, budget, this.counts);
    this.budgets.set(name, { wallet, pool, budget });
    return wallet;
  }

  /**
   * Returns unneeded leases of an account's and a key's spending pools to the ledger, because other nodes may need them. Lowers reservations of the
   * largest bill. Resolves to whether anything was returned.
   */
  async giveBackFree({ accountId, keyId }: LeasePlace): Promise<boolean> {
    const name = JSON.stringify([accountId, keyId]);
    const all = [this.accounts.get(accountId), this.keys.get(name)?.wallet];
    const budgets = [this.budgets.get(accountId)?.wallet, this.budgets.get(name)?.wallet];
    const retired = [...this.retired].filter(
      ({ pool }) => pool.accountId === accountId && (pool.keyId === null || pool.keyId === keyId),
    );
    let gaveBack = false;
    for (const wallet of [...all, ...budgets, ...retired]) {
      while (await wallet?.lowerOne());
      if (await wallet?.giveBackIdle(Number.POSITIVE_INFINITY)) gaveBack = true;
    }
    return gaveBack;
  }

  /** Wallets that new requests no longer get but that may still have leases. */
  private readonly retired = new Set<Wallet>();
  private readonly remember = (wallet: Wallet): void => {
    this.retired.add(wallet);
  };

  /** Returns the unreserved leases at once, because the wallet's successor may need them. The rest is returned when it is idle. */
  private retire(wallet: Wallet): void {
    this.retired.add(wallet);
    wallet.giveBackIdle(Number.POSITIVE_INFINITY).catch((error) => this.reportKept(error));
  }

  /** Returns the money leased by all wallets together. */
  figures(): LeaseFigures {
    const sum = { free: 0n, reserved: 0n, charging: 0n, returning: 0n };
    for (const { parts } of this.all()) {
      sum.free += parts.free;
      sum.reserved += parts.reserved;
      sum.charging += parts.charging;
      sum.returning += parts.returning;
    }
    return { ...sum, ...this.counts, losses: this.losses };
  }

  private *all(): Iterable<Wallet> {
    yield* this.accounts.values();
    for (const { wallet } of this.keys.values()) yield wallet;
    for (const { wallet } of this.budgets.values()) yield wallet;
    yield* this.retired;
  }

  private comparedAtMs = Number.NEGATIVE_INFINITY;
  private isComparing = false;

  /** Returns amounts that the ledger has leased to this process and no wallet holds. Never rejects. */
  async giveBackUnneeded(): Promise<void> {
    if (this.isComparing) return;
    this.isComparing = true;
    this.comparedAtMs = this.ports.clock.monotonicMs();
    try {
      const given = await this.ports.ledger.giveBackUnneeded((pool) => this.neededOf(pool));
      for (const { pool, leasedNanoUsd } of given) {
        const { accountId, keyId } = pool;
        const fields = {
          accountId,
          keyId,
          isBudget: pool.window !== undefined,
          amountUsd: formatNanoUsd(leasedNanoUsd),
        };
        this.ports.logger.warn(fields, 'leased money was not reserved by any request and was released');
      }
    } catch (error) {
      this.ports.logger.warn({ error: String(error) }, 'leases could not be compared with reservations');
    } finally {
      this.isComparing = false;
    }
  }

  private neededOf(pool: SpendingPool): bigint {
    const { accountId, keyId, window } = pool;
    const name = keyId === null ? accountId : JSON.stringify([accountId, keyId]);
    const known = window ? this.budgets.get(name)?.wallet : this.walletOf(name, keyId !== null);
    let needed = known !== undefined && isSamePool(known.pool, pool) ? known.neededNanoUsd : 0n;
    for (const wallet of this.retired) {
      if (wallet !== known && isSamePool(wallet.pool, pool)) needed += wallet.neededNanoUsd;
    }
    return needed;
  }

  private walletOf(name: string, isKeys: boolean): Wallet | undefined {
    return isKeys ? this.keys.get(name)?.wallet : this.accounts.get(name);
  }

  /**
   * Returns the leases of idle wallets, and every few seconds those that no wallet holds. Call it periodically, and with `all` before the
   * ledger is closed. Never rejects.
   */
  async giveBackIdle(all = false): Promise<void> {
    const beforeMs = all ? Number.POSITIVE_INFINITY : this.ports.clock.monotonicMs() - IDLE_MS;
    for (const wallet of [...this.all()]) {
      try {
        await wallet.giveBackIdle(beforeMs);
      } catch (error) {
        this.reportKept(error);
        return;
      }
    }
    this.forgetIdle(beforeMs);
    const isDue = this.ports.clock.monotonicMs() - this.comparedAtMs >= COMPARED_EVERY_MS;
    if (all || isDue) await this.giveBackUnneeded();
  }

  private reportKept(error: unknown): void {
    this.ports.logger.warn({ error: String(error) }, 'a balance lease could not be released');
  }

  private forgetIdle(beforeMs: number): void {
    for (const [id, wallet] of this.accounts) if (this.forgets(wallet, beforeMs)) this.accounts.delete(id);
    for (const wallets of [this.keys, this.budgets]) {
      for (const [name, { wallet }] of wallets) if (this.forgets(wallet, beforeMs)) wallets.delete(name);
    }
    for (const wallet of this.retired) if (this.forgets(wallet, beforeMs)) this.retired.delete(wallet);
  }

  /**
   * Keeps a wallet that a request has just been given. Otherwise the request could lease into it while its successor is in use, where that
   * money would be missing.
   */
  private forgets(wallet: Wallet, beforeMs: number): boolean {
    if (!wallet.isIdle || wallet.wasUsedAfter(beforeMs)) return false;
    wallet.forget(this.remember);
    return true;
  }
}

function isSameBudget(one: Budget, other: Budget): boolean {
  return (
    one === other ||
    (one.amountNanoUsd === other.amountNanoUsd && one.per === other.per && one.timeZone === other.timeZone)
  );
}

function isWithin({ window }: BudgetPool, atMs: number): boolean {
  return window.startsAtMs <= atMs && atMs < window.endsAtMs;
}
