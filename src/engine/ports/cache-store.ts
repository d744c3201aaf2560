import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { MemoryFigures, QueueFigures, RedisFigures } from './figures.ts';

/** The embedding of a question in a partition, without the text. */
export interface StoredQuestion {
  /** The key of the cache entry. */
  readonly key: string;
  readonly partition: string;
  readonly vector: Float32Array;
}

/** Observes changes of the cache, on this node or another one. */
export interface CacheListener {
  /** Called for a new entry that has a question. */
  added(question: StoredQuestion): void;
  /** Called for entries that have expired or were evicted, replaced or invalidated. */
  removed(keys: readonly string[]): void;
  /**
   * Called after a bulk removal, or when changes may have been missed while Redis was unavailable. Listeners must drop what they know and
   * load it again on demand.
   */
  cleared(): void;
}

/** One page of a listing. */
export interface CachePage {
  readonly limit: number;
  /** The last entry of the previous page; it may have been removed since. */
  readonly before: Pick<CacheEntry, 'storedAtMs' | 'id'> | null;
  /** `null` for all accounts. */
  readonly accountId: string | null;
}

/** An entry as shown to operators, without its content. */
export type CacheEntrySummary = Omit<CacheEntry, 'answer' | 'question'> & {
  /** The size of the stored entry. */
  readonly bytes: number;
  readonly isSemantic: boolean;
};

export interface CacheStoreStatistics {
  readonly memory: { readonly entries: number; readonly bytes: number };
  /** The second tier, disk or Redis; `null` if there is only memory. */
  readonly beyond: { readonly kind: 'disk' | 'redis'; readonly entries: number; readonly bytes: number } | null;
}

/** The cache's measurements of its second tier; `null` without one, or without Redis. */
export interface CacheFigures {
  /** The entries that wait to be written. */
  readonly writing: MemoryFigures | null;
  /** The removals that wait to be applied to the disk or Redis. Too many become one removal of everything. */
  readonly removing: QueueFigures | null;
  readonly redis: RedisFigures | null;
}

/**
 * Cache entries by key: the memory of this process in front of a disk (one node) or Redis (several). Every tier is bounded in bytes and
 * evicts the least recently used entries. No method throws or rejects: a store that is full, slow or unavailable behaves as if it had no
 * entry.
 */
export interface CacheStore {
  /** Finds an unexpired entry. Synchronous if it is in memory. */
  find(key: string): CacheEntry | null | Promise<CacheEntry | null>;
  findById(id: string): CacheEntry | null | Promise<CacheEntry | null>;
  /** Finds several entries; the result is in the order of the keys. */
  findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]>;
  /**
   * Adds an entry or replaces the one with its key: in memory at once, in the second tier shortly after. Returns `false`, without storing,
   * if the key is known to be blocked or the entry is too large.
   */
  put(entry: CacheEntry): boolean;
  /** Removes the entry on all nodes and blocks its key until `blockedUntilMs`. Resolves when the entry is out of use. */
  invalidate(entry: Pick<CacheEntry, 'id' | 'key'>, blockedUntilMs: number): Promise<void>;
  /** Whether this entry was invalidated; known until its key is unblocked. */
  wasInvalidated(id: string): boolean | Promise<boolean>;
  /** Records that a shared entry was served to an account other than the one that created it. */
  served(entry: CacheEntry, accountId: string): void;
  wasServed(entry: CacheEntry, accountId: string): boolean | Promise<boolean>;
  /** Resolves to the newest questions of a partition, newest first. */
  questions(partition: string, limit: number): Promise<readonly StoredQuestion[]>;
  listen(listener: CacheListener): void;
  /** Resolves to entries from newest to oldest; entries of the same millisecond are sorted by descending id. */
  list(page: CachePage): Promise<readonly CacheEntrySummary[]>;
  /** Removes all entries, or those of one account. Resolves to the number removed. */
  clear(accountId: string | null): Promise<number>;
  statistics(): CacheStoreStatistics;
  figures(): CacheFigures;
  /** Drops expired entries and applies removals by other processes. Must be called about once a second. */
  look(): void;
  /** Flushes the write-behind queue within a bounded time. Idempotent. */
  close(): Promise<void>;
}
