import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage, StoredQuestion } from '../../../engine/ports/cache-store.ts';
import type { QueueFigures, RedisFigures } from '../../../engine/ports/figures.ts';
import type { EntryHead } from './entry-codec.ts';
import type { Removal } from './pending-removals.ts';
import type { Service, Use, WriteQueue } from './write-queue.ts';

/**
 * The second tier of the cache, behind a node's memory: its disk, or Redis. No method throws or rejects: if it is unavailable it behaves as
 * empty.
 */
export interface Beyond {
  readonly kind: 'disk' | 'redis';
  readonly statistics: { readonly entries: number; readonly bytes: number };
  /** Entries and notes that are yet to be written. */
  readonly queue: WriteQueue;
  /** Removals that are yet to be applied. */
  readonly removing: QueueFigures;
  /** Missing if it is not Redis. */
  readonly redis?: RedisFigures;
  find(key: string): CacheEntry | null | Promise<CacheEntry | null>;
  findAll(keys: readonly string[]): readonly (CacheEntry | null)[] | Promise<readonly (CacheEntry | null)[]>;
  findById(id: string): CacheEntry | null | Promise<CacheEntry | null>;
  wasServed(entry: Pick<CacheEntry, 'id' | 'key'>, accountId: string): boolean | Promise<boolean>;
  wasInvalidated(id: string): boolean | Promise<boolean>;
  /** Returns `false` if the entry will not be stored. */
  put(entry: CacheEntry): boolean;
  noteUse(use: Use): void;
  noteService(service: Service): void;
  /** Resolves to the number of entries removed; 0 if it is unavailable, and then the removal is applied later. */
  remove(removal: Removal): Promise<number>;
  list(page: CachePage): Promise<readonly CacheEntrySummary[]>;
  questions(partition: string, limit: number): Promise<readonly EntryHead[]>;
  look(): void;
  close(): Promise<void>;
}

/** Receives the events of the second tier. */
export interface BeyondOwner {
  written(entries: readonly CacheEntry[]): void;
  /** The entries are not, or no longer, in the second tier. Without an id, any entry with the key. */
  gone(entries: readonly { readonly key: string; readonly id: string | null }[]): void;
  /** The second tier is empty. */
  emptied(): void;
  /** Another process removed entries. */
  removed(removal: Removal): void;
  /** Another process replaced the entry of this key with the one of this id. */
  replaced(key: string, id: string, question: StoredQuestion | null): void;
  /** Entries were removed that this process does not know. */
  changed(): void;
  /** Changes by other processes may have been missed. */
  missed(): void;
  /** Returns the accounts that have entries in memory. */
  accountIds(): Iterable<string>;
}
