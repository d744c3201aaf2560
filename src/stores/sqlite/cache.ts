import type { CacheEntry } from '../../domain/cache/cache-entry.ts';
import type {
  CacheEntrySummary,
  CacheListener,
  CachePage,
  CacheStore,
  CacheStoreStatistics,
  StoredQuestion,
} from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CacheSettings } from '../../engine/settings/cache-settings.ts';
import { newestQuestions } from '../shared/cache/cache-listeners.ts';
import type { Slot } from '../shared/cache/entry-memory.ts';
import { ownEntry } from '../shared/cache/entry-size.ts';
import { NodeCache } from '../shared/cache/node-cache.ts';
import { mergedPage } from '../shared/cache/page.ts';
import type { Removal } from '../shared/cache/pending-removals.ts';
import { CacheDisk } from './cache-disk.ts';

export interface DiskCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes' | 'diskBytes' | 'encrypt'>;
  /** The cache's own file; it and its folder are made when they are missing. */
  readonly path: string;
  readonly masterSecret: string;
  /** Whether this process has the folder for itself, and so may replace a file that is damaged. */
  readonly isOwner: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often the use of an entry in memory is told to the disk. */
const TOLD_EVERY_MS = 60_000;

/** In the memory of this process, and in a file for one node: what memory has no room for is read from there, also after a restart. */
export class DiskCache implements CacheStore {
  readonly #node: NodeCache;
  readonly #disk: CacheDisk;
  readonly #clock: Clock;

  /** Resolves when what is on the disk can be found, or it is known that it cannot; that is then tried again and again. */
  static async open(options: DiskCacheOptions): Promise<DiskCache> {
    const cache = new DiskCache(options);
    await cache.#disk.open();
    return cache;
  }

  private constructor({ settings, path, masterSecret, isOwner, clock, logger }: DiskCacheOptions) {
    this.#clock = clock;
    this.#node = new NodeCache({
      settings,
      clock,
      isElsewhere: ({ entry, isBeyond }) => isBeyond || this.#disk.queue.get(entry.key) !== undefined,
    });
    this.#disk = new CacheDisk({
      ...{ path, masterSecret, isOwner, clock, logger },
      maxBytes: settings.diskBytes,
      encrypts: settings.encrypt,
      owner: {
        written: (entries) => this.#node.written(entries),
        gone: (entries) => this.#node.gone(entries),
        replaced: () => this.#node.lostBeyond(),
        removed: (removal) => this.#remove(removal),
      },
    });
  }

  find(key: string): CacheEntry | null {
    const slot = this.#node.find(key);
    if (slot !== undefined) return this.#used(slot);
    if (this.#node.isBlocked(key)) return null;
    const waiting = this.#disk.queue.get(key);
    if (waiting !== undefined) return this.#unexpired(waiting);
    return this.#promoted(this.#disk.find(key));
  }

  findById(id: string): CacheEntry | null {
    const slot = this.#node.findById(id);
    if (slot !== undefined) return this.#used(slot);
    const waiting = this.#disk.queue.getById(id);
    if (waiting !== undefined) return this.#unexpired(waiting);
    const found = this.#disk.findById(id);
    // What lies there may have been replaced by what waits to be written.
    const current = found === null ? null : this.find(found.key);
    return current?.id === id ? current : null;
  }

  async findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    return keys.map((key) => this.find(key));
  }

  put(entry: CacheEntry): void {
    if (!this.#node.accepts(entry)) return;
    const own = ownEntry(entry);
    this.#node.put(own, this.#disk.put(own));
  }

  async invalidate({ id, key }: Pick<CacheEntry, 'id' | 'key'>, blockedUntilMs: number): Promise<void> {
    const removal: Removal = { kind: 'invalidate', block: { id, key, untilMs: blockedUntilMs } };
    const removed = this.#disk.remove(removal);
    this.#remove(removal);
    await removed;
  }

  wasInvalidated(id: string): boolean {
    return this.#node.wasInvalidated(id);
  }

  served(entry: CacheEntry, accountId: string): void {
    if (this.#node.served.add(entry.id, accountId)) this.#disk.noteService({ id: entry.id, key: entry.key, accountId });
  }

  wasServed({ id }: CacheEntry, accountId: string): boolean {
    return this.#node.served.has(id, accountId) || this.#disk.wasServed(id, accountId);
  }

  async questions(partition: string, limit: number): Promise<readonly StoredQuestion[]> {
    const onDisk = await this.#disk.questions(partition, limit);
    const waiting = [...this.#disk.queue.entries()].filter(({ question }) => question?.partition === partition);
    const inMemory = this.#node.entries.ofPartition(partition, this.#clock.nowMs());
    return newestQuestions([...onDisk, ...waiting, ...inMemory], limit);
  }

  listen(listener: CacheListener): void {
    this.#node.listeners.add(listener);
  }

  async list(page: CachePage): Promise<readonly CacheEntrySummary[]> {
    const onDisk = await this.#disk.list(page);
    const nowMs = this.#clock.nowMs();
    const inMemory = this.#node.entries.page(page, nowMs);
    return mergedPage(page, nowMs, onDisk, this.#disk.queue.summaries, inMemory);
  }

  async clear(accountId: string | null): Promise<number> {
    const removal: Removal = { kind: 'clear', accountId };
    const removed = this.#disk.remove(removal);
    return this.#remove(removal) + (await removed);
  }

  statistics(): CacheStoreStatistics {
    return { memory: this.#node.entries.statistics, beyond: { kind: 'disk', ...this.#disk.statistics } };
  }

  look(): void {
    this.#node.sweep();
    this.#disk.look();
  }

  close(): Promise<void> {
    return this.#disk.close();
  }

  /** From memory and from what waits. Gives how many were nowhere else. */
  #remove(removal: Removal): number {
    if (removal.kind === 'invalidate') {
      this.#disk.queue.remove(removal.block.key);
      this.#node.invalidate(removal.block);
      return 0;
    }
    const { accountId } = removal;
    const waiting = this.#disk.queue.removeAll(accountId);
    const alone = this.#node.clear(accountId).filter(({ entry, isBeyond }) => !isBeyond && !waiting.has(entry));
    return alone.length + [...waiting].filter((entry) => !this.#disk.queue.isWriting(entry)).length;
  }

  #unexpired(entry: CacheEntry): CacheEntry | null {
    return entry.expiresAtMs > this.#clock.nowMs() ? entry : null;
  }

  #used(slot: Slot): CacheEntry {
    const { entry } = slot;
    const nowMs = this.#clock.nowMs();
    if (nowMs - slot.toldAtMs >= TOLD_EVERY_MS) {
      slot.toldAtMs = nowMs;
      if (slot.isBeyond) this.#disk.noteUse({ key: entry.key, atMs: nowMs });
    }
    return entry;
  }

  #promoted(found: CacheEntry | null): CacheEntry | null {
    if (found === null) return null;
    this.#disk.noteUse({ key: found.key, atMs: this.#clock.nowMs() });
    return this.#node.promote(found);
  }
}
