import type { CacheEntry } from '../../../domain/cache/cache.ts';
import { after } from '../../../domain/concurrency/after.ts';
import type {
  CacheEntrySummary,
  CacheFigures,
  CacheListener,
  CachePage,
  CacheStore,
  CacheStoreStatistics,
  StoredQuestion,
} from '../../../engine/ports/cache-store.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { CacheSettings } from '../../../engine/settings/settings.ts';
import type { Beyond, BeyondOwner } from './beyond.ts';
import { newestQuestions } from './cache-listeners.ts';
import type { Slot } from './entry-memory.ts';
import { ownEntry } from './entry-size.ts';
import { NodeCache } from './node-cache.ts';
import { mergedPage } from './page.ts';
import type { Removal } from './pending-removals.ts';

export interface LayeredCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes'>;
  readonly clock: Clock;
  readonly openBeyond: (owner: BeyondOwner) => Beyond;
}

/** How often the use of an entry in memory is recorded in the second tier. */
const TOLD_EVERY_MS = 60_000;

/** The process's memory in front of a disk or Redis, which holds the entries that do not fit in memory. */
export class LayeredCache implements CacheStore {
  readonly #node: NodeCache;
  readonly #beyond: Beyond;
  readonly #clock: Clock;

  constructor({ settings, clock, openBeyond }: LayeredCacheOptions) {
    this.#clock = clock;
    const node = new NodeCache({
      settings,
      clock,
      isElsewhere: ({ entry, isBeyond }) => isBeyond || this.#beyond.queue.get(entry.key) !== undefined,
    });
    this.#node = node;
    this.#beyond = openBeyond({
      written: (entries) => node.written(entries),
      gone: (entries) => node.gone(entries),
      emptied: () => node.lostBeyond(),
      removed: (removal) => this.#remove(removal),
      replaced: (key, id, question) => node.replacedElsewhere(key, id, question),
      changed: () => node.listeners.cleared(),
      missed: () => node.clear(null),
      accountIds: () => node.entries.accountIds(),
    });
  }

  find(key: string): CacheEntry | null | Promise<CacheEntry | null> {
    const here = this.#findHere(key);
    if (here !== undefined) return here;
    return after(this.#beyond.find(key), (entry) => this.#promoted(entry));
  }

  findById(id: string): CacheEntry | null | Promise<CacheEntry | null> {
    const slot = this.#node.findById(id);
    if (slot !== undefined) return this.#used(slot);
    const waiting = this.#beyond.queue.getById(id);
    if (waiting !== undefined) return this.#unexpired(waiting);
    return after(this.#beyond.findById(id), (entry) => this.#current(entry));
  }

  async findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    const here = keys.map((key) => this.#findHere(key));
    const missing = keys.filter((_, index) => here[index] === undefined);
    if (missing.length === 0) return here.map((entry) => entry ?? null);
    const found = await this.#beyond.findAll(missing);
    const byKey = new Map(missing.map((key, index) => [key, this.#promoted(found[index] ?? null)]));
    return keys.map((key, index) => here[index] ?? byKey.get(key) ?? null);
  }

  put(entry: CacheEntry): boolean {
    if (!this.#node.accepts(entry)) return false;
    const own = ownEntry(entry);
    this.#node.put(own, this.#beyond.put(own));
    return true;
  }

  async invalidate({ id, key }: Pick<CacheEntry, 'id' | 'key'>, blockedUntilMs: number): Promise<void> {
    const removal: Removal = { kind: 'invalidate', block: { id, key, untilMs: blockedUntilMs } };
    const removed = this.#beyond.remove(removal);
    this.#remove(removal);
    await removed;
  }

  wasInvalidated(id: string): boolean | Promise<boolean> {
    return this.#node.wasInvalidated(id) || this.#beyond.wasInvalidated(id);
  }

  served(entry: CacheEntry, accountId: string): void {
    if (this.#node.served.add(entry.id, accountId))
      this.#beyond.noteService({ id: entry.id, key: entry.key, accountId });
  }

  wasServed(entry: CacheEntry, accountId: string): boolean | Promise<boolean> {
    return this.#node.served.has(entry.id, accountId) || this.#beyond.wasServed(entry, accountId);
  }

  async questions(partition: string, limit: number): Promise<readonly StoredQuestion[]> {
    const beyond = await this.#beyond.questions(partition, limit);
    const waiting = [...this.#beyond.queue.entries()].filter(({ question }) => question?.partition === partition);
    const inMemory = this.#node.entries.ofPartition(partition, this.#clock.nowMs());
    return newestQuestions([...beyond, ...waiting, ...inMemory], limit);
  }

  listen(listener: CacheListener): void {
    this.#node.listeners.add(listener);
  }

  async list(page: CachePage): Promise<readonly CacheEntrySummary[]> {
    const beyond = await this.#beyond.list(page);
    const nowMs = this.#clock.nowMs();
    const inMemory = this.#node.entries.page(page, nowMs);
    return mergedPage(page, nowMs, beyond, this.#beyond.queue.summaries, inMemory);
  }

  async clear(accountId: string | null): Promise<number> {
    const removal: Removal = { kind: 'clear', accountId };
    const removed = this.#beyond.remove(removal);
    return this.#remove(removal) + (await removed);
  }

  figures(): CacheFigures {
    const { queue, removing, redis = null } = this.#beyond;
    return { writing: queue.figures, removing, redis };
  }

  statistics(): CacheStoreStatistics {
    return { memory: this.#node.entries.statistics, beyond: { kind: this.#beyond.kind, ...this.#beyond.statistics } };
  }

  look(): void {
    this.#node.sweep();
    this.#beyond.look();
  }

  close(): Promise<void> {
    return this.#beyond.close();
  }

  /** Removes entries from memory and the write-behind queue. Returns the number of those that were stored nowhere else. */
  #remove(removal: Removal): number {
    if (removal.kind === 'invalidate') {
      this.#beyond.queue.remove(removal.block.key);
      this.#node.invalidate(removal.block);
      return 0;
    }
    const { accountId } = removal;
    const waiting = this.#beyond.queue.removeAll(accountId);
    const alone = this.#node.clear(accountId).filter(({ entry, isBeyond }) => !isBeyond && !waiting.has(entry));
    return alone.length + [...waiting].filter((entry) => !this.#beyond.queue.isWriting(entry)).length;
  }

  /** Returns `null` if the entry is known not to exist, `undefined` if the second tier must be asked. */
  #findHere(key: string): CacheEntry | null | undefined {
    const slot = this.#node.find(key);
    if (slot !== undefined) return this.#used(slot);
    if (this.#node.isBlocked(key)) return null;
    const waiting = this.#beyond.queue.get(key);
    return waiting === undefined ? undefined : this.#unexpired(waiting);
  }

  /** An entry in the second tier may be superseded by one that is queued for writing. */
  #current(found: CacheEntry | null): CacheEntry | null {
    const here = found === null ? null : this.#findHere(found.key);
    if (here === undefined) return this.#promoted(found);
    return here?.id === found?.id ? here : null;
  }

  #unexpired(entry: CacheEntry): CacheEntry | null {
    return entry.expiresAtMs > this.#clock.nowMs() ? entry : null;
  }

  #used(slot: Slot): CacheEntry {
    const { entry } = slot;
    const nowMs = this.#clock.nowMs();
    if (nowMs - slot.toldAtMs >= TOLD_EVERY_MS) {
      slot.toldAtMs = nowMs;
      if (slot.isBeyond) this.#beyond.noteUse({ key: entry.key, atMs: nowMs });
    }
    return entry;
  }

  #promoted(found: CacheEntry | null): CacheEntry | null {
    // It may have been removed meanwhile.
    if (found === null || this.#node.isBlocked(found.key)) return null;
    this.#beyond.noteUse({ key: found.key, atMs: this.#clock.nowMs() });
    return this.#node.promote(found);
  }
}
