import type { CacheEntry } from '../../domain/cache/cache-entry.ts';

/** A question of a partition, without its text. */
export interface StoredQuestion {
  /** The entry's. */
  readonly key: string;
  readonly partition: string;
  readonly vector: Float32Array;
}

/** Is told what changes, on this node or on another one. */
export interface CacheListener {
  /** Not called for entries without a question. */
  added(question: StoredQuestion): void;
  /** Expired, evicted, replaced or invalidated: they are nowhere any more. */
  removed(keys: readonly string[]): void;
  /**
   * Entries were removed together, or may have changed unseen while Redis was away: what is known of questions is to be forgotten, and
   * asked for again where it is needed.
   */
  cleared(): void;
}

/** Which entries are listed. */
export interface CachePage {
  readonly limit: number;
  /** The last one of the page before; it need not exist any more. */
  readonly before: Pick<CacheEntry, 'storedAtMs' | 'id'> | null;
  /** `null` for all accounts. */
  readonly accountId: string | null;
}

/** An entry as operators see it: never its content. */
export type CacheEntrySummary = Omit<CacheEntry, 'answer' | 'question'> & {
  /** What it occupies. */
  readonly bytes: number;
  readonly isSemantic: boolean;
};

export interface CacheStoreStatistics {
  readonly memory: { readonly entries: number; readonly bytes: number };
  /** Disk or Redis; `null` where there is only memory. */
  readonly beyond: { readonly kind: 'disk' | 'redis'; readonly entries: number; readonly bytes: number } | null;
}

/**
 * Entries of the cache, by key. The memory of this process stands before a disk (one node) or Redis (several). Everything is bounded by
 * bytes; the least recently used go first. Nothing here ever throws or rejects: a store that is full, slow or away knows nothing.
 */
export interface CacheStore {
  /** Unexpired entries only. Synchronous where memory has it, so that a hit waits for nothing. */
  find(key: string): CacheEntry | null | Promise<CacheEntry | null>;
  findById(id: string): CacheEntry | null | Promise<CacheEntry | null>;
  /** Several at one time; in the order of the keys. */
  findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]>;
  /**
   * In memory at once, and beyond it a moment later; replaces the entry of this key. Does nothing for a key that is blocked, or an
   * entry that is too large; then it gives `false`, as far as this process knows of the block.
   */
  put(entry: CacheEntry): boolean;
  /** Removes the entry here and on all nodes. Nothing is put under its key until `blockedUntilMs`. Resolves when it is out of use. */
  invalidate(entry: Pick<CacheEntry, 'id' | 'key'>, blockedUntilMs: number): Promise<void>;
  /** Whether this entry was invalidated, as far as that is still known (until its key is free again). */
  wasInvalidated(id: string): boolean | Promise<boolean>;
  /** A shared entry was served to another account than its maker's. */
  served(entry: CacheEntry, accountId: string): void;
  wasServed(entry: CacheEntry, accountId: string): boolean | Promise<boolean>;
  /** The newest of a partition, the newest first. */
  questions(partition: string, limit: number): Promise<readonly StoredQuestion[]>;
  listen(listener: CacheListener): void;
  /** The newest first, and of one moment those with the greater ids. */
  list(page: CachePage): Promise<readonly CacheEntrySummary[]>;
  /** Removes all entries, or those of one account. Gives how many. */
  clear(accountId: string | null): Promise<number>;
  statistics(): CacheStoreStatistics;
  /** To be called about once a second: drops what has expired, and takes over what other processes have removed. */
  look(): void;
  /** Writes what is queued, within a bounded time. It can be called again. */
  close(): Promise<void>;
}
