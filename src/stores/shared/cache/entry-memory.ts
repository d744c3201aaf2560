import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage } from '../../../engine/ports/cache-store.ts';
import { entryBytes, summaryOf } from './entry-size.ts';
import { isBefore, newestFirst } from './page.ts';
import { Link, RecencyList } from './recency-list.ts';

/** The largest share of the capacity per account, as in `SharedMemory`. */
const ACCOUNT_SHARE = 0.5;
/** With one sweep a second, all entries are visited within a minute. */
const SWEEPS = 60;
const LEAST_SWEPT = 1_000;

/** An entry in memory. */
export interface Slot {
  readonly entry: CacheEntry;
  readonly bytes: number;
  /** Whether it is also on disk or in Redis, as far as known. */
  isBeyond: boolean;
  /** When its use was last recorded in the second tier, in milliseconds since 1970. */
  toldAtMs: number;
}

interface HeldSlot extends Slot {
  readonly account: AccountSlots;
  readonly links: { readonly ofAll: Link<HeldSlot>; readonly ofAccount: Link<HeldSlot> };
}

interface AccountSlots {
  bytes: number;
  readonly slots: RecencyList<HeldSlot>;
}

export interface EntryMemoryOptions {
  /** Capacity in bytes. */
  readonly capacity: number;
  /** Called for each entry that was evicted, expired or replaced. */
  readonly onGone: (slot: Slot, why: 'evicted' | 'expired' | 'replaced') => void;
}

/** An LRU cache bounded in bytes. One account may use at most half. */
export class EntryMemory {
  readonly #capacity: number;
  readonly #onGone: EntryMemoryOptions['onGone'];
  readonly #slots = new Map<string, HeldSlot>();
  readonly #byId = new Map<string, HeldSlot>();
  readonly #recency = new RecencyList<HeldSlot>();
  readonly #accounts = new Map<string, AccountSlots>();
  #bytes = 0;
  #sweep: Iterator<HeldSlot> | null = null;

  constructor({ capacity, onGone }: EntryMemoryOptions) {
    this.#capacity = capacity;
    this.#onGone = onGone;
  }

  get statistics(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#slots.size, bytes: this.#bytes };
  }

  /** Returns an unexpired entry and marks it as used. */
  get(key: string, nowMs: number): Slot | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#used(slot, nowMs);
  }

  getById(id: string, nowMs: number): Slot | undefined {
    const slot = this.#byId.get(id);
    return slot === undefined ? undefined : this.#used(slot, nowMs);
  }

  /** Returns the entry without marking it as used. */
  peek(key: string): Slot | undefined {
    return this.#slots.get(key);
  }

  accountIds(): Iterable<string> {
    return this.#accounts.keys();
  }

  slots(): Iterable<Slot> {
    return this.#slots.values();
  }

  /**
   * Stores the entry, detached from larger buffers (`ownEntry`). Returns `null` if it is too large. The previous entry of the key is
   * removed in either case.
   */
  put(entry: CacheEntry, isBeyond: boolean, nowMs: number): Slot | null {
    const before = this.remove(entry.key);
    if (before !== undefined) this.#onGone(before, 'replaced');
    const bytes = entryBytes(entry);
    const share = this.#capacity * ACCOUNT_SHARE;
    if (bytes > share) return null;
    const account = this.#accounts.get(entry.accountId) ?? { bytes: 0, slots: new RecencyList<HeldSlot>() };
    while (account.bytes + bytes > share) if (!this.#evict(account.slots)) break;
    while (this.#bytes + bytes > this.#capacity) if (!this.#evict(this.#recency)) break;
    const slot = heldSlot({ entry, bytes, isBeyond, toldAtMs: nowMs }, account);
    this.#accounts.set(entry.accountId, account);
    this.#slots.set(entry.key, slot);
    this.#byId.set(entry.id, slot);
    this.#recency.add(slot.links.ofAll);
    account.slots.add(slot.links.ofAccount);
    account.bytes += bytes;
    this.#bytes += bytes;
    return slot;
  }

  remove(key: string): Slot | undefined {
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#forget(slot);
    return slot;
  }

  /** Removes all entries, or those of an account, and returns them. */
  removeAll(accountId: string | null): readonly Slot[] {
    const removed = accountId === null ? [...this.#slots.values()] : [...(this.#accounts.get(accountId)?.slots ?? [])];
    for (const slot of removed) this.#forget(slot);
    return removed;
  }

  /** Drops expired entries among the next part of all entries. */
  sweep(nowMs: number): void {
    const most = Math.max(LEAST_SWEPT, this.#slots.size / SWEEPS);
    this.#sweep ??= this.#slots.values();
    for (let count = 0; count < most; count++) {
      const { value: slot, done } = this.#sweep.next();
      if (done) {
        this.#sweep = null;
        return;
      }
      if (slot.entry.expiresAtMs <= nowMs) this.#drop(slot, 'expired');
    }
  }

  page({ limit, before, accountId }: CachePage, nowMs: number): CacheEntrySummary[] {
    const found: Slot[] = [];
    const slots = accountId === null ? this.#slots.values() : (this.#accounts.get(accountId)?.slots ?? []);
    for (const slot of slots) {
      if (slot.entry.expiresAtMs > nowMs && isBefore(slot.entry, before)) found.push(slot);
    }
    found.sort((one, other) => newestFirst(one.entry, other.entry));
    return found.slice(0, limit).map(({ entry, bytes }) => summaryOf(entry, bytes));
  }

  /** Yields unexpired entries with questions in the partition. */
  *ofPartition(partition: string, nowMs: number): Iterable<CacheEntry> {
    for (const { entry } of this.#slots.values()) {
      if (entry.question?.partition === partition && entry.expiresAtMs > nowMs) yield entry;
    }
  }

  #used(slot: HeldSlot, nowMs: number): Slot | undefined {
    const { entry, account, links } = slot;
    if (entry.expiresAtMs <= nowMs) {
      this.#drop(slot, 'expired');
      return undefined;
    }
    this.#recency.use(links.ofAll);
    account.slots.use(links.ofAccount);
    return slot;
  }

  #evict({ oldest }: RecencyList<HeldSlot>): boolean {
    if (oldest === null) return false;
    this.#drop(oldest, 'evicted');
    return true;
  }

  #drop(slot: HeldSlot, why: 'evicted' | 'expired'): void {
    this.#forget(slot);
    this.#onGone(slot, why);
  }

  #forget(slot: HeldSlot): void {
    const { entry, bytes, account, links } = slot;
    this.#slots.delete(entry.key);
    if (this.#byId.get(entry.id) === slot) this.#byId.delete(entry.id);
    this.#recency.remove(links.ofAll);
    account.slots.remove(links.ofAccount);
    account.bytes -= bytes;
    this.#bytes -= bytes;
    if (account.slots.isEmpty) this.#accounts.delete(entry.accountId);
  }
}

function heldSlot(facts: Slot, account: AccountSlots): HeldSlot {
  // The slot and its links refer to each other.
  const slot: Omit<HeldSlot, 'links'> & { links?: HeldSlot['links'] } = { ...facts, account };
  const held = slot as HeldSlot;
  slot.links = { ofAll: new Link(held), ofAccount: new Link(held) };
  return held;
}
