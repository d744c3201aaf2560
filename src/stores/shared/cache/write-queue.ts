import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheEntrySummary } from '../../../engine/ports/cache-store.ts';
import type { MemoryFigures } from '../../../engine/ports/figures.ts';
import { entryBytes, summaryOf } from './entry-size.ts';

/** The limit for entries that wait to be written to the second tier. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
const MOST_NOTES = 10_000;

export interface Use {
  readonly key: string;
  readonly atMs: number;
}

/** The use of a shared entry by another account. */
export interface Service extends Pick<CacheEntry, 'id' | 'key'> {
  readonly accountId: string;
}

/** The content of one write. */
export interface WriteBatch {
  readonly entries: readonly CacheEntry[];
  readonly uses: readonly Use[];
  readonly services: readonly Service[];
}

/** A bounded write-behind queue to the second tier. Entries that do not fit stay in memory only. */
export class WriteQueue {
  readonly #entries = new Map<string, CacheEntry>();
  readonly #byId = new Map<string, CacheEntry>();
  readonly #uses = new Map<string, Use>();
  readonly #services: Service[] = [];
  readonly #isWriting = new Set<CacheEntry>();
  #bytes = 0;
  #refusals = 0;

  get isEmpty(): boolean {
    return this.#entries.size === 0 && this.#uses.size === 0 && this.#services.length === 0;
  }

  /** The memory of the entries that wait. */
  get figures(): MemoryFigures {
    return { heldBytes: this.#bytes, limitBytes: MOST_WAITING_BYTES, refusals: this.#refusals };
  }

  /** Returns a queued entry, including one that is being written. */
  get(key: string): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  getById(id: string): CacheEntry | undefined {
    return this.#byId.get(id);
  }

  *entries(): Iterable<CacheEntry> {
    yield* this.#entries.values();
  }

  /** Whether the entry is being written. */
  isWriting(entry: CacheEntry): boolean {
    return this.#isWriting.has(entry);
  }

  /** Returns `false` if the queue is full. */
  add(entry: CacheEntry): boolean {
    this.remove(entry.key);
    const bytes = entryBytes(entry);
    if (this.#bytes + bytes > MOST_WAITING_BYTES) {
      this.#refusals += 1;
      return false;
    }
    this.#entries.set(entry.key, entry);
    this.#byId.set(entry.id, entry);
    this.#bytes += bytes;
    return true;
  }

  get summaries(): CacheEntrySummary[] {
    return [...this.#entries.values()].map((entry) => summaryOf(entry, entryBytes(entry)));
  }

  /** Removes all entries, or those of an account. */
  removeAll(accountId: string | null): ReadonlySet<CacheEntry> {
    const removed = [...this.#entries.values()].filter((entry) => accountId === null || entry.accountId === accountId);
    for (const { key } of removed) this.remove(key);
    return new Set(removed);
  }

  remove(key: string): CacheEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#byId.delete(entry.id);
    this.#bytes -= entryBytes(entry);
    return entry;
  }

  noteUse(use: Use): void {
    if (this.#uses.size < MOST_NOTES) this.#uses.set(use.key, use);
  }

  noteService(service: Service): void {
    if (this.#services.length < MOST_NOTES) this.#services.push(service);
  }

  /** Returns the next entries up to `mostBytes`, or a single larger one. They stay in the queue until `written`. */
  take(mostBytes: number, mostEntries: number): WriteBatch {
    const entries: CacheEntry[] = [];
    let bytes = 0;
    for (const entry of this.#entries.values()) {
      bytes += entryBytes(entry);
      if (entries.length > 0 && (bytes > mostBytes || entries.length >= mostEntries)) break;
      entries.push(entry);
      this.#isWriting.add(entry);
    }
    const uses = [...this.#uses.values()];
    this.#uses.clear();
    return { entries, uses, services: this.#services.splice(0) };
  }

  /** Removes entries that were written or abandoned. */
  written(entries: readonly CacheEntry[]): void {
    for (const entry of entries) {
      this.#isWriting.delete(entry);
      if (this.#entries.get(entry.key) === entry) this.remove(entry.key);
    }
  }
}
