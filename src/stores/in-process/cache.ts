import type { CacheEntry } from '../../domain/cache/cache.ts';
import type {
  CacheEntrySummary,
  CacheFigures,
  CacheListener,
  CachePage,
  CacheStore,
  CacheStoreStatistics,
  StoredQuestion,
} from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { CacheSettings } from '../../engine/settings/settings.ts';
import { newestQuestions } from '../shared/cache/cache-listeners.ts';
import { ownEntry } from '../shared/cache/entry-size.ts';
import { NodeCache } from '../shared/cache/node-cache.ts';

export interface MemoryCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes'>;
  readonly clock: Clock;
}

/** A cache in this process's memory, lost on restart. */
export class MemoryCache implements CacheStore {
  readonly #node: NodeCache;
  readonly #clock: Clock;

  constructor({ settings, clock }: MemoryCacheOptions) {
    this.#clock = clock;
    this.#node = new NodeCache({ settings, clock, isElsewhere: () => false });
  }

  find(key: string): CacheEntry | null {
    return this.#node.find(key)?.entry ?? null;
  }

  findById(id: string): CacheEntry | null {
    return this.#node.findById(id)?.entry ?? null;
  }

  async findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    return keys.map((key) => this.find(key));
  }

  put(entry: CacheEntry): boolean {
    if (!this.#node.accepts(entry)) return false;
    this.#node.put(ownEntry(entry), false);
    return true;
  }

  async invalidate({ id, key }: Pick<CacheEntry, 'id' | 'key'>, blockedUntilMs: number): Promise<void> {
    this.#node.invalidate({ id, key, untilMs: blockedUntilMs });
  }

  wasInvalidated(id: string): boolean {
    return this.#node.wasInvalidated(id);
  }

  served({ id }: CacheEntry, accountId: string): void {
    this.#node.served.add(id, accountId);
  }

  wasServed({ id }: CacheEntry, accountId: string): boolean {
    return this.#node.served.has(id, accountId);
  }

  async questions(partition: string, limit: number): Promise<readonly StoredQuestion[]> {
    return newestQuestions(this.#node.entries.ofPartition(partition, this.#clock.nowMs()), limit);
  }

  listen(listener: CacheListener): void {
    this.#node.listeners.add(listener);
  }

  async list(page: CachePage): Promise<readonly CacheEntrySummary[]> {
    return this.#node.entries.page(page, this.#clock.nowMs());
  }

  async clear(accountId: string | null): Promise<number> {
    return this.#node.clear(accountId).length;
  }

  figures(): CacheFigures {
    return { writing: null, removing: null, redis: null };
  }

  statistics(): CacheStoreStatistics {
    return { memory: this.#node.entries.statistics, beyond: null };
  }

  look(): void {
    this.#node.sweep();
  }

  async close(): Promise<void> {}
}
