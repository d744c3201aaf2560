import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheStore } from '../../ports/cache-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CacheMetrics } from '../../ports/metrics.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../../settings/settings.ts';
import { AnswerCache, type CachePorts } from '../answer-cache.ts';

/** Keeps entries in a map, without bounds. */
export class FakeCacheStore implements CacheStore {
  readonly entries = new Map<string, CacheEntry>();
  readonly givenTo: string[] = [];

  find(key: string): CacheEntry | null {
    return this.entries.get(key) ?? null;
  }

  findById(id: string): CacheEntry | null {
    return this.entries.values().find((entry) => entry.id === id) ?? null;
  }

  async findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    return keys.map((key) => this.find(key));
  }

  put(entry: CacheEntry): boolean {
    this.entries.set(entry.key, entry);
    return true;
  }

  async invalidate({ key }: Pick<CacheEntry, 'id' | 'key'>): Promise<void> {
    this.entries.delete(key);
  }

  wasInvalidated(): boolean {
    return false;
  }

  served(_entry: CacheEntry, accountId: string): void {
    this.givenTo.push(accountId);
  }

  wasServed(_entry: CacheEntry, accountId: string): boolean {
    return this.givenTo.includes(accountId);
  }

  async questions() {
    return [];
  }

  listen(): void {}

  async list() {
    return [];
  }

  async clear(): Promise<number> {
    return 0;
  }

  figures() {
    return { writing: null, removing: null, redis: null };
  }

  statistics() {
    return { memory: { entries: this.entries.size, bytes: 0 }, beyond: null };
  }

  look(): void {}

  async close(): Promise<void> {}
}

const NOTHING_TOLD: CacheMetrics = {
  cacheSkipped: () => {},
  cacheMissed: () => {},
  cacheStoring: () => {},
  cacheReported: () => {},
  cacheInvalidated: () => {},
};

/** Makes a cache over a map, without a time limit for waiting on equal requests in flight. */
export function fakeCache(clock: Clock, overrides: Partial<CachePorts> & { settings?: CacheSettings } = {}) {
  const store = new FakeCacheStore();
  let ids = 0;
  const cache = new AnswerCache({
    store,
    questions: null,
    clock,
    metrics: NOTHING_TOLD,
    logger: { error: () => {} },
    settings: DEFAULT_CACHE,
    newId: (prefix) => `${prefix}${++ids}`,
    sleep: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    ...overrides,
  });
  return { cache, store };
}
