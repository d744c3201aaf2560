import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheEntrySummary, CachePage, StoredQuestion } from '../../../engine/ports/cache-store.ts';
import type { EntryHead } from './entry-codec.ts';
import type { Removal } from './pending-removals.ts';
import type { Service, Use, WriteQueue } from './write-queue.ts';

/** What stands behind the memory of a node: its disk, or Redis. Nothing here throws or rejects: what cannot be asked knows nothing. */
export interface Beyond {
  readonly kind: 'disk' | 'redis';
  readonly statistics: { readonly entries: number; readonly bytes: number };
  /** What is on its way there. */
  readonly queue: WriteQueue;
  find(key: string): CacheEntry | null | Promise<CacheEntry | null>;
  findAll(keys: readonly string[]): readonly (CacheEntry | null)[] | Promise<readonly (CacheEntry | null)[]>;
  findById(id: string): CacheEntry | null | Promise<CacheEntry | null>;
  wasServed(entry: Pick<CacheEntry, 'id' | 'key'>, accountId: string): boolean | Promise<boolean>;
  wasInvalidated(id: string): boolean | Promise<boolean>;
  /** `false` where it will not be there. */
  put(entry: CacheEntry): boolean;
  noteUse(use: Use): void;
  noteService(service: Service): void;
  /** Gives how many went; none where it is away, which then has it later. */
  remove(removal: Removal): Promise<number>;
  list(page: CachePage): Promise<readonly CacheEntrySummary[]>;
  questions(partition: string, limit: number): Promise<readonly EntryHead[]>;
  look(): void;
  close(): Promise<void>;
}

/** Is told what happens beyond the memory. */
export interface BeyondOwner {
  written(entries: readonly CacheEntry[]): void;
  /** They are not there, or not any more; without an id, whatever had the key. */
  gone(entries: readonly { readonly key: string; readonly id: string | null }[]): void;
  /** Nothing is there any more. */
  emptied(): void;
  /** By another process. */
  removed(removal: Removal): void;
  /** By another process, with an entry of this id. */
  replaced(key: string, id: string, question: StoredQuestion | null): void;
  /** Entries went that are not known here. */
  changed(): void;
  /** Other processes may have changed anything unseen. */
  missed(): void;
  /** Of which there are entries in memory. */
  accountIds(): Iterable<string>;
}
