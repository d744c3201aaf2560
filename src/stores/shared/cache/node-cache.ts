import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { StoredQuestion } from '../../../engine/ports/cache-store.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { CacheSettings } from '../../../engine/settings/cache-settings.ts';
import { type Block, Blocks } from './blocks.ts';
import { CacheListeners, storedQuestion } from './cache-listeners.ts';
import { EntryMemory, type Slot } from './entry-memory.ts';
import { ServedAccounts } from './served-accounts.ts';

export interface NodeCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes'>;
  readonly clock: Clock;
  /** Whether an entry that has to leave the memory is still somewhere else. */
  readonly isElsewhere: (slot: Slot) => boolean;
}

/** What one process knows of the cache itself, and those who want to hear of it. */
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

  /** A new entry. `null` where the memory cannot hold it; the listeners hear of it where it is kept elsewhere. */
  put(entry: CacheEntry, isKeptElsewhere: boolean): Slot | null {
    // What it replaces may lie elsewhere alone.
    if (isKeptElsewhere && this.entries.peek(entry.key) === undefined) this.listeners.removed([entry.key]);
    const slot = this.entries.put(entry, false, this.#clock.nowMs());
    const question = storedQuestion(entry);
    if (question !== null && (slot !== null || isKeptElsewhere)) this.listeners.added(question);
    return slot;
  }

  /** One that was found elsewhere. */
  promote(entry: CacheEntry): CacheEntry {
    return this.entries.put(entry, true, this.#clock.nowMs())?.entry ?? entry;
  }

  /** Gives whether it was in memory. */
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

  /** Another process has put an entry of this id there. */
  replacedElsewhere(key: string, id: string, question: StoredQuestion | null): void {
    if (this.entries.peek(key)?.entry.id !== id) this.entries.remove(key);
    this.listeners.removed([key]);
    if (question !== null) this.listeners.added(question);
  }

  /** They also lie beyond the memory now. */
  written(entries: readonly CacheEntry[]): void {
    for (const { key, id } of entries) this.#setBeyond(key, id, true);
  }

  /** They do not lie beyond the memory, or not any more. */
  gone(entries: readonly { readonly key: string; readonly id: string | null }[]): void {
    this.listeners.removed(entries.filter(({ key, id }) => !this.#setBeyond(key, id, false)).map(({ key }) => key));
  }

  /** Nothing lies beyond the memory any more. */
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

  /** Whether the memory has an entry of this key. */
  #setBeyond(key: string, id: string | null, isBeyond: boolean): boolean {
    const slot = this.entries.peek(key);
    if (slot !== undefined && (id === null || slot.entry.id === id)) slot.isBeyond = isBeyond;
    return slot !== undefined;
  }
}
