import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage } from '../../engine/ports/cache-store.ts';
import type { QueueFigures, RedisFigures } from '../../engine/ports/figures.ts';
import type { Beyond, BeyondOwner } from '../shared/cache/beyond.ts';
import { storedQuestion } from '../shared/cache/cache-listeners.ts';
import { DelayedWrites } from '../shared/cache/delayed-writes.ts';
import type { EntryHead } from '../shared/cache/entry-codec.ts';
import { PendingRemovals, type Removal } from '../shared/cache/pending-removals.ts';
import { type Service, type Use, WriteQueue } from '../shared/cache/write-queue.ts';
import { within } from '../shared/within.ts';
import { type CacheMessage, CacheMessages } from './cache-messages.ts';
import { CACHE_CHANNEL, CacheParts, type CachePartsOptions } from './cache-parts.ts';
import { notPatient, type Patience } from './connection.ts';
import { isCurrent, OpenLookups } from './open-lookups.ts';

export interface RedisBeyondOptions extends Omit<CachePartsOptions, 'onOutageEnd'> {
  readonly owner: BeyondOwner;
}

/** The size of one command, limited so that others do not wait long behind it. */
const BATCH_BYTES = 512 * 1024;
const BATCH_ENTRIES = 100;
/** Entries that arrive within this time are written together. */
const WRITE_AFTER_MS = 5;
const CONNECT_WITHIN_MS = 2_000;
const CLOSE_WITHIN_MS = 1_000;

/** The Redis tier of the cache, shared by all gateways. While Redis is unavailable it behaves as empty, and removals are queued. */
export class RedisBeyond implements Beyond {
  readonly kind = 'redis';
  readonly queue = new WriteQueue();
  readonly #parts: CacheParts;
  readonly #messages: CacheMessages;
  readonly #owner: BeyondOwner;
  readonly #nowMs: () => number;
  readonly #patience: Patience;
  readonly #removals = new PendingRemovals();
  readonly #lookups = new OpenLookups();
  #statistics = { entries: 0, bytes: 0 };
  readonly #writes = new DelayedWrites(WRITE_AFTER_MS, () => this.#writeAll());

  /** Throws `RedisAddressError` if the URL is invalid. */
  constructor(options: RedisBeyondOptions) {
    this.#owner = options.owner;
    this.#nowMs = options.nowMs;
    this.#patience = options.patience ?? notPatient;
    this.#parts = new CacheParts({ ...options, onOutageEnd: () => void this.#catchUp() });
    this.#messages = new CacheMessages({
      url: options.url,
      channel: CACHE_CHANNEL,
      node: this.#parts.node,
      patience: options.patience,
      onMessage: (message, isOwn) => this.#heard(message, isOwn),
      onMissed: () => {
        this.#lookups.removedAll();
        this.#owner.missed();
      },
    });
  }

  get removing(): QueueFigures {
    return this.#removals.figures;
  }

  get redis(): RedisFigures {
    return this.#parts.figures;
  }

  get statistics(): { readonly entries: number; readonly bytes: number } {
    return this.#statistics;
  }

  /** Resolves when Redis responds, or after two seconds. */
  async connect(): Promise<void> {
    const withinMs = CONNECT_WITHIN_MS * this.#patience();
    const listening = within(withinMs, this.#messages.connect()).catch(() => {});
    await Promise.all([listening, this.#parts.connect()]);
    await this.#look();
  }

  async find(key: string): Promise<CacheEntry | null> {
    const [found = null] = await this.findAll([key]);
    return found;
  }

  async findAll(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    if (this.#parts.isAway) return keys.map(() => null);
    const lookup = this.#lookups.begin(keys);
    try {
      const found = await this.#parts.find(keys);
      return found.map((entry) =>
        entry === null || !isCurrent(lookup, entry) || this.#removals.covers(entry) ? null : entry,
      );
    } catch {
      return keys.map(() => null);
    } finally {
      this.#lookups.end(lookup);
    }
  }

  async findById(id: string): Promise<CacheEntry | null> {
    const { key } = await this.#ask(() => this.#parts.findId(id), { key: null, invalidatedUntilMs: 0 });
    const found = key === null ? null : await this.find(key);
    return found?.id === id ? found : null;
  }

  async wasInvalidated(id: string): Promise<boolean> {
    const found = await this.#ask(() => this.#parts.findId(id), { key: null, invalidatedUntilMs: 0 });
    return found.invalidatedUntilMs > this.#nowMs();
  }

  wasServed(entry: Pick<CacheEntry, 'id' | 'key'>, accountId: string): Promise<boolean> {
    return this.#ask(() => this.#parts.wasServed(entry, accountId), false);
  }

  put(entry: CacheEntry): boolean {
    if (this.#parts.isAway || !this.queue.add(entry)) return false;
    this.#writes.schedule();
    return true;
  }

  noteUse(use: Use): void {
    this.queue.noteUse(use);
  }

  noteService(service: Service): void {
    this.queue.noteService(service);
    if (!this.#parts.isAway) this.#writes.schedule();
  }

  async remove(removal: Removal): Promise<number> {
    this.#removals.add(removal);
    if (removal.kind === 'invalidate') this.#lookups.removed(removal.block.key);
    else this.#lookups.removedAll();
    return this.#ask(() => this.#send(removal), 0);
  }

  async list(page: CachePage): Promise<readonly CacheEntrySummary[]> {
    await this.#writes.flush();
    const heads = await this.#ask(() => this.#parts.list(page), []);
    return heads
      .filter((head) => !this.#removals.covers(head))
      .map(({ question, ...facts }) => ({ ...facts, isSemantic: question !== null }));
  }

  async questions(partition: string, limit: number): Promise<readonly EntryHead[]> {
    const heads = await this.#ask(() => this.#parts.questions(partition, limit), []);
    return heads.filter((head) => !this.#removals.covers(head));
  }

  look(): void {
    if (this.#parts.isAway) return;
    if (!this.queue.isEmpty) this.#writes.schedule();
    void this.#look();
  }

  async close(): Promise<void> {
    await within(CLOSE_WITHIN_MS * this.#patience(), this.#writes.flush()).catch(() => {});
    this.#messages.close();
    await this.#parts.close();
  }

  async #look(): Promise<void> {
    const parts = await this.#ask(() => this.#parts.sweep(), []);
    if (parts.length === 0) return;
    this.#statistics = {
      entries: parts.reduce((sum, { entries }) => sum + entries, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    for (const { name, lastMessage } of parts) this.#messages.look(name, lastMessage);
  }

  /** Called after an outage. Message numbers reveal whether any were missed. */
  async #catchUp(): Promise<void> {
    for (const removal of this.#removals.all) await this.#ask(() => this.#send(removal), 0);
    await this.#look();
  }

  async #send(removal: Removal): Promise<number> {
    const removed =
      removal.kind === 'invalidate'
        ? await this.#parts.invalidate(removal.block)
        : await this.#parts.clear(removal.accountId);
    this.#removals.done(removal);
    return removed;
  }

  async #writeAll(): Promise<void> {
    while (!this.queue.isEmpty && !this.#parts.isAway) {
      const { entries, uses, services } = this.queue.take(BATCH_BYTES, BATCH_ENTRIES);
      const [kept] = await Promise.all([
        this.#ask(() => this.#parts.put(entries), []),
        this.#ask(() => this.#parts.note(uses, services), undefined),
      ]);
      const current = entries.filter((entry) => this.queue.get(entry.key) === entry);
      this.queue.written(entries);
      this.#owner.written(current.filter((entry) => kept.includes(entry)));
      this.#owner.gone(current.filter((entry) => !kept.includes(entry)));
    }
    if (!this.#parts.isAway) return;
    const entries = [...this.queue.entries()];
    this.queue.written(entries);
    this.#owner.gone(entries);
  }

  #heard(message: CacheMessage, isOwn: boolean): void {
    if (message.kind === 'removed') {
      for (const key of message.keys) this.#lookups.removed(key);
      this.#owner.gone(message.keys.map((key) => ({ key, id: null })));
    } else if (!isOwn) this.#heardOfOther(message);
  }

  #heardOfOther(message: Exclude<CacheMessage, { kind: 'removed' }>): void {
    if (message.kind === 'cleared') this.#heardOfClearing(message.tag);
    else {
      const { key, id } = message;
      if (message.kind === 'invalidated') {
        this.#lookups.removed(key);
        this.#owner.removed({ kind: 'invalidate', block: { key, id, untilMs: message.untilMs } });
        return;
      }
      this.#lookups.replaced(key, id);
      const head = message.head === null ? null : this.#parts.openHead(key, message.head);
      this.#owner.replaced(key, id, head === null ? null : storedQuestion(head));
    }
  }

  #heardOfClearing(tag: string): void {
    this.#lookups.removedAll();
    if (tag === '') {
      this.#owner.removed({ kind: 'clear', accountId: null });
      return;
    }
    const waiting = [...this.queue.entries()].map(({ accountId }) => accountId);
    const known = new Set([...this.#owner.accountIds(), ...waiting]);
    for (const accountId of known) {
      if (this.#parts.accountTag(accountId) === tag) this.#owner.removed({ kind: 'clear', accountId });
    }
    this.#owner.changed();
  }

  async #ask<Result>(ask: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (this.#parts.isAway) return otherwise;
    return ask().catch(() => otherwise);
  }
}
