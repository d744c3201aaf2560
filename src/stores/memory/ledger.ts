import type { Account } from '../../domain/access/account.ts';
import type { KeyPlace } from '../../engine/ports/key-use-store.ts';
import type {
  Balance,
  BudgetPool,
  BudgetSpending,
  Charge,
  EntryPlace,
  EntryQuery,
  KeySpending,
  Ledger,
  LedgerEntry,
  LedgerPage,
  LedgerReport,
  NewEntry,
  PoolLease,
  SpendingPool,
} from '../../engine/ports/ledger.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import { ledgerProblems, toldProblems } from '../shared/ledger-problems.ts';
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
import { usageOfCharge } from '../shared/tables/usage.ts';
import { type CountedCharge, MemoryBudgets } from './budgets.ts';
import { MemoryHolds } from './holds.ts';
import type { MemoryUsage } from './usage.ts';

/** A balance or a key's limit: its amount (for a key, the spent amount) and the leased part. */
interface Held {
  nanoUsd: bigint;
  leasedNanoUsd: bigint;
}

export interface MemoryLedgerSources {
  readonly accounts: () => readonly Account[];
  readonly records: () => readonly RequestRecord[];
  readonly usage: Pick<MemoryUsage, 'add'>;
}

export class MemoryLedger implements Ledger {
  readonly isShared = false;
  readonly #sources: MemoryLedgerSources;
  /** Keyed by idempotency key, in write order. */
  readonly #entries = new Map<string, LedgerEntry>();
  readonly #balances = new Map<string, Held>();
  /** Keyed by account, then key. */
  readonly #spending = new Map<string, Map<string, Held>>();
  readonly #charges: CountedCharge[] = [];
  readonly #budgets = new MemoryBudgets(() => this.#charges);

  constructor(sources: MemoryLedgerSources) {
    this.#sources = sources;
  }

  readonly holds = new MemoryHolds({
    free: (pool, limitNanoUsd) => this.#free(pool, limitNanoUsd),
    takeAside: (pool, amountNanoUsd) => {
      if (isBudget(pool)) this.#budgets.moveLease(pool, amountNanoUsd);
      else this.#make(pool).leasedNanoUsd += amountNanoUsd;
    },
    charge: (charge) => this.#charge(charge),
  });

  lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd: bigint = 0n): bigint {
    const leased = leasable(this.#free(pool, limitNanoUsd), wanted, least);
    if (leased > 0n && isBudget(pool)) this.#budgets.moveLease(pool, leased);
    else if (leased > 0n) this.#make(pool).leasedNanoUsd += leased;
    return leased;
  }

  async giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    this.#endLease(pool, amountNanoUsd);
  }

  async giveBackUnheld(heldNanoUsd: (pool: SpendingPool) => bigint): Promise<readonly PoolLease[]> {
    const given: PoolLease[] = [];
    for (const { pool, leasedNanoUsd } of this.#leases()) {
      const unheld = leasedNanoUsd - this.holds.keptOf(pool) - heldNanoUsd(pool);
      if (unheld <= 0n) continue;
      this.#endLease(pool, unheld);
      given.push({ pool, leasedNanoUsd: unheld });
    }
    return given;
  }

  onRecall(): void {
    // There is no other gateway.
  }

  onLeasesLost(): void {
    // Leases cannot be lost.
  }

  async charge(charge: Charge): Promise<'charged' | 'known'> {
    return this.#charge(charge);
  }

  #charge(charge: Charge): 'charged' | 'known' {
    const entry = chargeEntry(charge);
    const { accountId, keyId } = entry;
    if (!this.#write(entry)) return 'known';
    this.#countInBudgets(charge);
    this.#sources.usage.add(usageOfCharge(charge));
    this.#endLease({ accountId, keyId: null }, charge.fromAccountLease);
    if (keyId !== null) {
      this.#make({ accountId, keyId }).nanoUsd += charge.costNanoUsd;
      this.#endLease({ accountId, keyId }, charge.fromKeyLease);
    }
    return 'charged';
  }

  #countInBudgets(charge: Charge): void {
    const entry = this.#entries.get(chargeEntry(charge).idempotencyKey);
    if (entry === undefined) return;
    const counted = { entry, countedAtMs: Number(countedAt(charge) ?? entry.atMs) };
    this.#charges.push(counted);
    this.#budgets.count(counted);
    const { accountId, keyId, costNanoUsd, budgets } = charge;
    if (budgets?.account) this.#budgets.moveLease({ accountId, keyId: null, window: budgets.account }, -costNanoUsd);
    if (budgets?.key) this.#budgets.moveLease({ accountId, keyId, window: budgets.key }, -costNanoUsd);
  }

  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    const held = this.#balances.get(entry.accountId);
    const free = (held?.nanoUsd ?? 0n) - (held?.leasedNanoUsd ?? 0n);
    const isTooMuch = entry.amountNanoUsd < 0n && free + entry.amountNanoUsd < 0n;
    if (isTooMuch && !this.#entries.has(entry.idempotencyKey)) {
      refuseMalformed(entry);
      return 'insufficient';
    }
    return this.#write(entry) ? 'appended' : 'known';
  }

  async balance(accountId: string): Promise<Balance> {
    const held = this.#balances.get(accountId);
    return { accountId, balanceNanoUsd: held?.nanoUsd ?? 0n, leasedNanoUsd: held?.leasedNanoUsd ?? 0n };
  }

  async balances(only?: readonly string[]): Promise<readonly Balance[]> {
    const ids = [...this.#balances.keys()].filter((id) => only === undefined || only.includes(id));
    return Promise.all(ids.sort().map((accountId) => this.balance(accountId)));
  }

  async spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]> {
    return this.#keys().filter(
      ({ accountId, keyId, spentNanoUsd }) =>
        spentNanoUsd !== 0n &&
        (only === undefined || only.some((key) => key.accountId === accountId && key.keyId === keyId)),
    );
  }

  async budgetSpending(pools: readonly BudgetPool[]): Promise<readonly BudgetSpending[]> {
    return pools.map((pool) => this.#budgets.spending(pool));
  }

  /** @param pseudonym `null` to only count the notes */
  hideNotesOf(accountId: string, pseudonym: string | null): number {
    const noted = [...this.#entries.values()].filter((entry) => entry.accountId === accountId && entry.note !== null);
    for (const entry of pseudonym === null ? [] : noted)
      this.#entries.set(entry.idempotencyKey, { ...entry, note: pseudonym });
    return noted.length;
  }

  async entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]> {
    const own = [...this.#entries.values()].filter((entry) => entry.accountId === accountId);
    return own.sort(newestFirst).slice(0, Math.max(0, limit));
  }

  async page(query: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage> {
    const { accountId, keyId, kind, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = query;
    const own = [...this.#entries.values()].filter(
      (entry) =>
        entry.accountId === accountId &&
        (keyId === undefined || entry.keyId === keyId) &&
        (kind === undefined || entry.kind === kind) &&
        entry.atMs >= fromMs &&
        entry.atMs < toMs &&
        (after === null || newestFirst(after, entry) < 0),
    );
    const entries = own.sort(newestFirst).slice(0, limit);
    const last = entries.at(-1);
    return { entries, next: own.length > limit && last !== undefined ? last : null };
  }

  async find(idempotencyKey: string): Promise<LedgerEntry | null> {
    return this.#entries.get(idempotencyKey) ?? null;
  }

  async verify(): Promise<LedgerReport> {
    const entries = [...this.#entries.values()];
    const problems = [
      this.#balanceProblems(entries),
      this.#prepaidProblems(),
      this.#keyProblems(entries),
      this.#budgetProblems(),
      this.#logProblems(),
      this.#holdProblems(),
    ];
    return {
      accounts: this.#balances.size,
      entries: entries.length,
      charges: entries.filter(({ kind }) => kind === 'charge').length,
      archived: 0,
      problems: problems.flatMap(toldProblems),
    };
  }

  /** Returns `false` if the entry was already written. */
  #write(entry: NewEntry): boolean {
    refuseMalformed(entry);
    const known = this.#entries.get(entry.idempotencyKey);
    if (known !== undefined) {
      if (!isSameEntry(known, entry)) throw ledgerConflict(known, entry);
      return false;
    }
    const { accountId } = entry;
    refuseTooLarge((this.#balances.get(accountId)?.nanoUsd ?? 0n) + entry.amountNanoUsd);
    this.#entries.set(entry.idempotencyKey, { ...entry, sequence: this.#entries.size + 1 });
    this.#make({ accountId, keyId: null }).nanoUsd += entry.amountNanoUsd;
    return true;
  }

  #free(pool: SpendingPool, limitNanoUsd: bigint): bigint {
    if (isBudget(pool)) return this.#budgets.free(pool, limitNanoUsd);
    const held = this.#held(pool);
    const whole = pool.keyId === null ? (held?.nanoUsd ?? 0n) : limitNanoUsd - (held?.nanoUsd ?? 0n);
    return whole - (held?.leasedNanoUsd ?? 0n);
  }

  #endLease(pool: SpendingPool, amountNanoUsd: bigint): void {
    if (isBudget(pool) && amountNanoUsd > 0n) this.#budgets.moveLease(pool, -amountNanoUsd);
    if (isBudget(pool)) return;
    const held = this.#held(pool);
    if (held === undefined || amountNanoUsd <= 0n) return;
    held.leasedNanoUsd -= amountNanoUsd < held.leasedNanoUsd ? amountNanoUsd : held.leasedNanoUsd;
  }

  #held({ accountId, keyId }: SpendingPool): Held | undefined {
    return keyId === null ? this.#balances.get(accountId) : this.#spending.get(accountId)?.get(keyId);
  }

  #make(pool: SpendingPool): Held {
    const known = this.#held(pool);
    if (known !== undefined) return known;
    const made = { nanoUsd: 0n, leasedNanoUsd: 0n };
    const { accountId, keyId } = pool;
    if (keyId === null) this.#balances.set(accountId, made);
    else this.#spending.set(accountId, (this.#spending.get(accountId) ?? new Map<string, Held>()).set(keyId, made));
    return made;
  }

  /** Includes holds. */
  #leases(): PoolLease[] {
    const balances = sorted(this.#balances).map(([accountId, { leasedNanoUsd }]) => ({
      pool: { accountId, keyId: null },
      leasedNanoUsd,
    }));
    const keys = this.#keys().map(({ accountId, keyId, leasedNanoUsd }) => ({
      pool: { accountId, keyId },
      leasedNanoUsd,
    }));
    const budgets = this.#budgets.all().map(({ accountId, keyId, window, leasedNanoUsd }) => ({
      pool: { accountId, keyId, window },
      leasedNanoUsd,
    }));
    return [...balances, ...keys, ...budgets];
  }

  #keys(): KeySpending[] {
    return sorted(this.#spending).flatMap(([accountId, keys]) =>
      sorted(keys).map(([keyId, { nanoUsd, leasedNanoUsd }]) => ({
        accountId,
        keyId,
        spentNanoUsd: nanoUsd,
        leasedNanoUsd,
      })),
    );
  }

  #holdProblems(): string[] {
    const holds = this.holds.all();
    const notKept = holds.flatMap(({ accountId, keyId, state }) => {
      if (state !== 'open') return [];
      const own = holds.filter((hold) => hold.state === 'open' && hold.accountId === accountId);
      const ofBalance = own.reduce((sum, hold) => sum + (hold.fromBalanceNanoUsd ?? 0n), 0n);
      const ofKey = own.reduce((sum, hold) => sum + (hold.keyId === keyId ? (hold.fromLimitNanoUsd ?? 0n) : 0n), 0n);
      const kept = this.#balances.get(accountId)?.leasedNanoUsd ?? 0n;
      const keptOfKey = keyId === null ? ofKey : (this.#spending.get(accountId)?.get(keyId)?.leasedNanoUsd ?? 0n);
      return [
        ...(kept < ofBalance ? [ledgerProblems.holdNotKept(accountId, null, kept, ofBalance)] : []),
        ...(keptOfKey < ofKey ? [ledgerProblems.holdNotKept(accountId, keyId, keptOfKey, ofKey)] : []),
      ];
    });
    const charges = holds.flatMap(({ holdId, accountId, state, chargedNanoUsd }) => {
      const charged = -(this.#entries.get(`charge:${holdId}`)?.amountNanoUsd ?? 0n);
      return charged === chargedNanoUsd
        ? []
        : [ledgerProblems.holdCharge(holdId, accountId, state, chargedNanoUsd, charged)];
    });
    return [...new Set(notKept), ...charges];
  }

  #balanceProblems(entries: readonly LedgerEntry[]): string[] {
    const sums = new Map<string, bigint>();
    for (const { accountId, amountNanoUsd } of entries)
      sums.set(accountId, (sums.get(accountId) ?? 0n) + amountNanoUsd);
    return [...this.#balances].flatMap(([accountId, { nanoUsd }]) => {
      const sum = sums.get(accountId) ?? 0n;
      return sum === nanoUsd ? [] : [ledgerProblems.balance(accountId, nanoUsd, sum)];
    });
  }

  #prepaidProblems(): string[] {
    return this.#sources.accounts().flatMap(({ id, billing }) => {
      const held = this.#balances.get(id);
      if (billing !== 'prepaid' || held === undefined) return [];
      if (held.nanoUsd < 0n) return [ledgerProblems.negative(id, held.nanoUsd)];
      return held.leasedNanoUsd > held.nanoUsd
        ? [ledgerProblems.accountLease(id, held.leasedNanoUsd, held.nanoUsd)]
        : [];
    });
  }

  #keyProblems(entries: readonly LedgerEntry[]): string[] {
    const charges = entries.filter(({ kind }) => kind === 'charge');
    return this.#keys().flatMap(({ accountId, keyId, spentNanoUsd }) => {
      const own = charges.filter((charge) => charge.accountId === accountId && charge.keyId === keyId);
      const sum = own.reduce((total, { amountNanoUsd }) => total - amountNanoUsd, 0n);
      return sum === spentNanoUsd ? [] : [ledgerProblems.spending(accountId, keyId, spentNanoUsd, sum)];
    });
  }

  #budgetProblems(): string[] {
    return this.#budgets.all().flatMap((period) => {
      const sum = this.#budgets.charged(period);
      return sum === period.spentNanoUsd ? [] : [ledgerProblems.budget(period, period.spentNanoUsd, sum)];
    });
  }

  #logProblems(): string[] {
    return this.#sources.records().flatMap(({ requestId, accountId, keyId, costNanoUsd }) => {
      if (costNanoUsd === null) return [];
      const charge = this.#entries.get(`charge:${requestId}`);
      if (charge === undefined) {
        // A free request has no entry.
        return costNanoUsd === 0n ? [] : [ledgerProblems.notCharged(requestId, accountId, costNanoUsd)];
      }
      const charged = -charge.amountNanoUsd;
      if (charged !== costNanoUsd) return [ledgerProblems.otherCharge(requestId, accountId, costNanoUsd, charged)];
      const isItsOwn = charge.accountId === accountId && charge.keyId === keyId;
      return isItsOwn ? [] : [ledgerProblems.otherPool(requestId, accountId, keyId, charge.accountId, charge.keyId)];
    });
  }
}

function newestFirst(a: EntryPlace, b: EntryPlace): number {
  return b.atMs - a.atMs || b.sequence - a.sequence;
}

function sorted<Value>(values: ReadonlyMap<string, Value>): [string, Value][] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1));
}
