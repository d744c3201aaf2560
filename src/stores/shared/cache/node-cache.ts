import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { StoredQuestion } from '../../../engine/ports/cache-store.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { CacheSettings } from '../../../engine/settings/settings.ts';
import { type Block, Blocks } from './blocks.ts';
import { CacheListeners, storedQuestion } from './cache-listeners.ts';
import { EntryMemory, type Slot } from './entry-memory.ts';

/** Each entry takes about 150 bytes. */
const MOST_SERVED = 50_000;

export interface NodeCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes'>;
  readonly clock: Clock;
  /** Whether an entry evicted from memory is still stored elsewhere. */
  readonly isElsewhere: (slot: Slot) => boolean;
}

/** The in-process part of the cache, with its listeners. */
export class NodeCache {
  readonly entries: EntryMemory;
  readonly blocks = new Blocks();
  readonly served = new ServedAccounts();
  readonly listeners = new CacheListeners();
  readonly #clock: Clock;
  readonly #maxEntryBytes: number;

  constructor({ settings, clock, isElsewhere }: NodeCacheOptions) {
    this.#clock = clock;
    this.#maxEntryBytes = settings.maxEntryBytes;
    this.entries = new EntryMemory({
      capacity: settings.memoryBytes,
      onGone: (slot, why) => {
        if (why !== 'evicted' || !isElsewhere(slot)) this.listeners.removed([slot.entry.key]);
      },
    });
  }

  find(key: string): Slot | undefined {
    return this.entries.get(key, this.#clock.nowMs());
  }

  findById(id: string): Slot | undefined {
    return this.entries.getById(id, this.#clock.nowMs());
  }

  accepts({ key, answer, expiresAtMs }: CacheEntry): boolean {
    const nowMs = this.#clock.nowMs();
    return answer.byteLength <= this.#maxEntryBytes && expiresAtMs > nowMs && !this.blocks.isBlocked(key, nowMs);
  }

  /** Adds a new entry. Returns `null` if it does not fit in memory; listeners are still notified if it is stored elsewhere. */
  put(entry: CacheEntry, isKeptElsewhere: boolean): Slot | null {
    // The entry that it replaces may be stored elsewhere only.
    if (isKeptElsewhere && this.entries.peek(entry.key) === undefined) this.listeners.removed([entry.key]);
    const slot = this.entries.put(entry, false, this.#clock.nowMs());
    const question = storedQuestion(entry);
    if (question !== null && (slot !== null || isKeptElsewhere)) this.listeners.added(question);
    return slot;
  }

  /** Adds an entry that was found elsewhere. */
  promote(entry: CacheEntry): CacheEntry {
    return this.entries.put(entry, true, this.#clock.nowMs())?.entry ?? entry;
  }

  /** Blocks the key and removes its entry. Returns whether it was in memory. */
  invalidate(block: Block): boolean {
    this.blocks.add(block);
    const slot = this.entries.remove(block.key);
    this.listeners.removed([block.key]);
    return slot !== undefined;
  }

  clear(accountId: string | null): readonly Slot[] {
    const removed = this.entries.removeAll(accountId);
    this.listeners.cleared();
    return removed;
  }

  /** Handles the replacement of an entry by another process. */
  replacedElsewhere(key: string, id: string, question: StoredQuestion | null): void {
    if (this.entries.peek(key)?.entry.id !== id) this.entries.remove(key);
    this.listeners.removed([key]);
    if (question !== null) this.listeners.added(question);
  }

  /** Marks entries as stored in the second tier. */
  written(entries: readonly CacheEntry[]): void {
    for (const { key, id } of entries) this.#setBeyond(key, id, true);
  }

  /** Marks entries as not, or no longer, stored in the second tier. */
  gone(entries: readonly { readonly key: string; readonly id: string | null }[]): void {
    this.listeners.removed(entries.filter(({ key, id }) => !this.#setBeyond(key, id, false)).map(({ key }) => key));
  }

  /** Marks all entries as missing from the second tier. */
  lostBeyond(): void {
    for (const slot of this.entries.slots()) slot.isBeyond = false;
    this.listeners.cleared();
  }

  isBlocked(key: string): boolean {
    return this.blocks.isBlocked(key, this.#clock.nowMs());
  }

  wasInvalidated(id: string): boolean {
    return this.blocks.wasInvalidated(id, this.#clock.nowMs());
  }

  sweep(): void {
    this.entries.sweep(this.#clock.nowMs());
  }

  /** Sets `isBeyond`. Returns whether the memory has an entry of this key. */
  #setBeyond(key: string, id: string | null, isBeyond: boolean): boolean {
    const slot = this.entries.peek(key);
    if (slot !== undefined && (id === null || slot.entry.id === id)) slot.isBeyond = isBeyond;
    return slot !== undefined;
  }
}

/** The accounts that were served shared entries of others. The oldest are evicted beyond `MOST_SERVED`. */
class ServedAccounts {
  readonly #served = new Set<string>();

  /** Returns whether it was added, and not known already. */
  add(id: string, accountId: string): boolean {
    const served = `${id}\n${accountId}`;
    if (this.#served.has(served)) return false;
    this.#served.add(served);
    if (this.#served.size <= MOST_SERVED) return true;
    for (const oldest of this.#served) {
      this.#served.delete(oldest);
      break;
    }
    return true;
  }

  has(id: string, accountId: string): boolean {
    return this.#served.has(`${id}\n${accountId}`);
  }
}
