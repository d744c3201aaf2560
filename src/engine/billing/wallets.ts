import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { type Budget, budgetWindow } from '../../domain/money/budget.ts';
import { amountFor, budgetInForce, thresholdOf } from '../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Clock } from '../ports/clock.ts';
import type { LeaseFigures } from '../ports/figures.ts';
import { type BudgetPool, isSamePool, type LeasePlace, type Ledger, type SpendingPool } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import { fromLedger } from './ledger-away.ts';
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

/** The owner of a budget: an account or a key. */
type BudgetOwner = Pick<SpendingPool, 'accountId' | 'keyId'>;

/** Follows the name of a budget's wallet in the name of the wallet of its cheaper model. No id has a line break. */
const CEILING = '\n';
/** Stands for all models but the cheaper one. No model has an empty id. */
const NO_MODEL = '';
/** How often a period's spending is read to find out whether it has reached the threshold. */
const LEARNED_EVERY_MS = 1_000;

/**
 * The wallets of this process: one per account, one per key with a limit, and one for the current period of each budget, with another one for
 * the requests of the budget's cheaper model if these have a ceiling.
 */
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

  /** Returns the wallets that limit what an account spends with one of its keys on a model; none if there is no limit. */
  limiting(principal: Principal, modelId: string): Limiting {
    const limiting = this.limitingOf(principal, modelId);
    const nowMs = this.ports.clock.monotonicMs();
    for (const wallet of limiting.wallets) wallet.given(nowMs);
    return limiting;
  }

  private limitingOf({ account, credential }: Principal, modelId: string): Limiting {
    const wallets: Wallet[] = [];
    if (account.billing === 'prepaid') wallets.push(this.account(account.id));
    const key = this.key(credential);
    if (key !== null) wallets.push(key);
    if (account.budget === null && credential.budget === null) return { wallets, budgetsAtMs: null };
    const atMs = this.ports.clock.nowMs();
    const accountId = account.id;
    for (const wallet of [
      this.budget({ accountId, keyId: null }, budgetInForce(account, atMs), modelId, atMs),
      this.budget({ accountId, keyId: credential.id }, budgetInForce(credential, atMs), modelId, atMs),
    ]) {
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
    const name = nameOf({ accountId, keyId: id });
    const known = this.keys.get(name);
    if (known?.limitNanoUsd === limitNanoUsd) return known.wallet;
    // A changed limit replaces the wallet.
    if (known) this.retire(known.wallet);
    const wallet = new Wallet(this.ports.ledger, { accountId, keyId: id }, limitNanoUsd, null, this.counts);
    this.keys.set(name, { wallet, limitNanoUsd });
    return wallet;
  }

  /**
   * Returns the wallet of the period that contains `atMs`; `null` if the budget does not limit the model. A new period or a changed budget
   * replaces it; requests that have reserved from the former wallet are charged from it.
   */
  private budget(owner: BudgetOwner, budget: Budget | null, modelId: string, atMs: number): Wallet | null {
    if (budget === null) return null;
    const limitNanoUsd = amountFor(budget, modelId);
    if (limitNanoUsd === null) return null;
    const isCeiling = budget.reroute?.modelId === modelId;
    const name = isCeiling ? nameOf(owner) + CEILING : nameOf(owner);
    const known = this.budgets.get(name);
    if (known !== undefined && isSameBudget(known.budget, budget) && isWithin(known.pool, atMs)) return known.wallet;
    if (known !== undefined) this.retire(known.wallet);
    const pool = { ...owner, window: budgetWindow(budget, atMs) };
    const wallet = new Wallet(this.ports.ledger, pool, limitNanoUsd, { budget, isCeiling }, this.counts);
    this.budgets.set(name, { wallet, pool, budget });
    return wallet;
  }

  /**
   * Returns whether the spending of the current period is known to have reached the budget's threshold. Only reads memory, and so finds out
   * after the first refused lease.
   */
  hasReached(owner: BudgetOwner, budget: Budget): boolean {
    const known = this.budgets.get(nameOf(owner));
    if (known === undefined || !known.wallet.isSpent) return false;
    const { clock } = this.ports;
    if (!isSameBudget(known.budget, budget) || !isWithin(known.pool, clock.nowMs())) return false;
    known.wallet.given(clock.monotonicMs());
    return true;
  }

  /** Reads whether a budget that reroutes is spent, although no request was refused. Rejects if the ledger is away. */
  async learn(owner: BudgetOwner, budget: Budget): Promise<void> {
    const { clock } = this.ports;
    const wallet = this.budget(owner, budget, NO_MODEL, clock.nowMs());
    if (wallet === null) return;
    wallet.given(clock.monotonicMs());
    await this.learnSpending(wallet);
  }

  private readonly learnedAtMs = new WeakMap<Wallet, number>();

  /** Finds out whether the spending of a refusing wallet's period has reached its limit, at most once a second. Rejects if the ledger is away. */
  async learnSpending(wallet: Wallet): Promise<void> {
    const { pool, of, limitNanoUsd = 0n, isSpent } = wallet;
    const { window } = pool;
    if (of === null || of.budget.reroute === undefined || of.isCeiling || window === undefined || isSpent) return;
    const nowMs = this.ports.clock.monotonicMs();
    if (nowMs - (this.learnedAtMs.get(wallet) ?? Number.NEGATIVE_INFINITY) < LEARNED_EVERY_MS) return;
    this.learnedAtMs.set(wallet, nowMs);
    const [spending] = await fromLedger(() => this.ports.ledger.budgetSpending([{ ...pool, window }]));
    if (spending !== undefined && spending.spentNanoUsd >= limitNanoUsd) wallet.isSpent = true;
  }

  /**
   * Returns unneeded leases of the other wallet of a budget's period to the ledger, which counts the leases of both. Resolves to whether
   * anything was returned.
   */
  async giveBackBeside(wallet: Wallet): Promise<boolean> {
    if (wallet.of?.budget.reroute === undefined) return false;
    let gaveBack = false;
    for (const other of this.ofBudget(wallet.pool)) {
      if (other === wallet) continue;
      while (await other.lowerOne());
      if (await other.giveBackIdle(Number.POSITIVE_INFINITY)) gaveBack = true;
    }
    if (gaveBack) wallet.refilled();
    return gaveBack;
  }

  /** Returns the wallets of the current period of an account's or key's budget. */
  private ofBudget(owner: BudgetOwner): readonly Wallet[] {
    const name = nameOf(owner);
    return [name, name + CEILING].flatMap((one) => this.budgets.get(one)?.wallet ?? []);
  }

  /**
   * Returns unneeded leases of an account's and a key's spending pools to the ledger, because other nodes may need them. Lowers reservations of the
   * largest bill. Resolves to whether anything was returned.
   */
  async giveBackFree({ accountId, keyId }: LeasePlace): Promise<boolean> {
    const all = [this.accounts.get(accountId), this.keys.get(nameOf({ accountId, keyId }))?.wallet];
    const ofAccount = this.ofBudget({ accountId, keyId: null });
    const budgets = keyId === null ? ofAccount : [...ofAccount, ...this.ofBudget({ accountId, keyId })];
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
    const known = pool.window ? this.ofBudget(pool) : this.walletsOf(pool);
    let needed = 0n;
    for (const wallet of new Set([...known, ...this.retired])) {
      if (isSamePool(wallet.pool, pool)) needed += wallet.neededNanoUsd;
    }
    return needed;
  }

  private walletsOf({ accountId, keyId }: SpendingPool): readonly Wallet[] {
    const found = keyId === null ? this.accounts.get(accountId) : this.keys.get(nameOf({ accountId, keyId }))?.wallet;
    return found === undefined ? [] : [found];
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

/** Returns the name of an account's or a key's wallets. */
function nameOf({ accountId, keyId }: BudgetOwner): string {
  return keyId === null ? accountId : JSON.stringify([accountId, keyId]);
}

function isSameBudget(one: Budget, other: Budget): boolean {
  return (
    one === other ||
    (one.amountNanoUsd === other.amountNanoUsd &&
      one.per === other.per &&
      one.timeZone === other.timeZone &&
      one.reroute?.modelId === other.reroute?.modelId &&
      one.reroute?.ceilingNanoUsd === other.reroute?.ceilingNanoUsd &&
      thresholdOf(one) === thresholdOf(other))
  );
}

function isWithin({ window }: BudgetPool, atMs: number): boolean {
  return window.startsAtMs <= atMs && atMs < window.endsAtMs;
}
