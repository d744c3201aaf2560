import { existsSync } from 'node:fs';
import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { QueueFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { Beyond, BeyondOwner } from '../shared/cache/beyond.ts';
import { DelayedWrites } from '../shared/cache/delayed-writes.ts';
import { EntryCodec, type EntryHead } from '../shared/cache/entry-codec.ts';
import { PendingRemovals, type Removal } from '../shared/cache/pending-removals.ts';
import { type Service, type Use, WriteQueue } from '../shared/cache/write-queue.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { within } from '../shared/within.ts';
import type { CacheFileStatistics, FoundQuestions, QuestionPlace, QuestionsPage } from './cache-file.ts';
import { CacheReader } from './cache-reader.ts';
import type { CacheAnswer } from './cache-task.ts';
import { CacheThread } from './cache-thread.ts';
import { isDamage } from './connection.ts';

export interface CacheDiskOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly masterSecret: string;
  readonly encrypts: boolean;
  readonly isOwner: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly owner: BeyondOwner;
}

/** Entries that arrive within this time are written together. */
const WRITE_AFTER_MS = 20;
const BATCH_BYTES = 512 * 1024;
const BATCH_ENTRIES = 100;
const OPEN_WITHIN_MS = 5_000;
const RETRY_AFTER_MS = 10_000;
const SWEEP_EVERY_MS = 10_000;
const CLOSE_WITHIN_MS = 5_000;
/** Half a megabyte of vectors. */
const QUESTIONS_AT_ONCE = 256;
const NONE: FoundQuestions = { heads: [], last: null };

/**
 * The disk tier of the cache: reads are synchronous, writes go to a thread shortly after. While the disk fails it behaves as empty. Never
 * rejects.
 */
export class CacheDisk implements Beyond {
  readonly kind = 'disk';
  readonly queue = new WriteQueue();
  readonly #options: CacheDiskOptions;
  readonly #codec: EntryCodec;
  readonly #thread: CacheThread;
  readonly #removals = new PendingRemovals();
  readonly #writer = crypto.randomUUID();
  #reader: CacheReader | null = null;
  #generation = 0;
  #statistics: CacheFileStatistics = { entries: 0, bytes: 0 };
  readonly #writes = new DelayedWrites(WRITE_AFTER_MS, () => this.#writeAll());
  #awaySinceMs: number | null = null;
  #retriedAtMs = 0;
  #sweptAtMs = 0;
  #notKept = 0;
  #isClosing = false;
  /** Whether the file was asked to be opened, or will be by a write. */
  #isOpened = false;

  constructor(options: CacheDiskOptions) {
    const { path, maxBytes, masterSecret, encrypts, isOwner: mayReplace, clock } = options;
    this.#options = options;
    this.#codec = new EntryCodec('disk', masterSecret, encrypts);
    this.#thread = new CacheThread({
      data: { path, maxBytes, masterSecret, encrypts, mayReplace, writer: this.#writer },
      nowMs: () => clock.nowMs(),
      onAnswer: (answer) => this.#answered(answer),
    });
  }

  get removing(): QueueFigures {
    return this.#removals.figures;
  }

  get statistics(): CacheFileStatistics {
    return this.#statistics;
  }

  get isAway(): boolean {
    return this.#awaySinceMs !== null;
  }

  /**
   * Resolves when the file can be read, is known to be unreadable, or does not exist. A file that does not exist is created by the first
   * write, so that an unused cache needs no thread.
   */
  async open(): Promise<void> {
    this.#isOpened = existsSync(this.#options.path);
    if (!this.#isOpened) return;
    const opened = this.#asked(this.#thread.ask({ kind: 'open', damage: null }), null);
    await within(OPEN_WITHIN_MS, opened).catch(() => {});
    for (const removal of this.#read((reader) => reader.blocks(this.#options.clock.nowMs()), [])) {
      this.#options.owner.removed(removal);
    }
  }

  find(key: string): CacheEntry | null {
    if (this.#removals.coversKey(key)) return null;
    return this.#usable(
      key,
      this.#read((reader) => reader.find(key, this.#options.clock.nowMs()), null),
    );
  }

  findById(id: string): CacheEntry | null {
    return this.#usable(
      null,
      this.#read((reader) => reader.findById(id, this.#options.clock.nowMs()), null),
    );
  }

  findAll(keys: readonly string[]): readonly (CacheEntry | null)[] {
    return keys.map((key) => this.find(key));
  }

  wasServed({ id }: Pick<CacheEntry, 'id'>, accountId: string): boolean {
    return this.#read((reader) => reader.wasServed(id, accountId), false);
  }

  /** The owner has already received everything that the file knows about it. */
  wasInvalidated(): boolean {
    return false;
  }

  put(entry: CacheEntry): boolean {
    if (this.isAway) return false;
    const isQueued = this.queue.add(entry);
    if (!isQueued) this.#notKept += 1;
    this.#writes.schedule();
    return isQueued;
  }

  noteUse(use: Use): void {
    this.queue.noteUse(use);
  }

  noteService(service: Service): void {
    this.queue.noteService(service);
  }

  async remove(removal: Removal): Promise<number> {
    this.#removals.add(removal);
    return this.isAway ? 0 : this.#remove(removal);
  }

  async list(page: CachePage): Promise<readonly CacheEntrySummary[]> {
    await this.#writes.flush();
    const found = await this.#ask(() => this.#thread.ask({ kind: 'list', page }), []);
    return found.filter((summary) => !this.#removals.covers(summary));
  }

  /** Reads in pages, so that neither the writer thread nor the caller's thread is blocked for long. */
  async questions(partition: string, limit: number): Promise<readonly EntryHead[]> {
    const found: EntryHead[] = [];
    let before: QuestionPlace | null = null;
    do {
      const page: QuestionsPage = { partition, limit: Math.min(QUESTIONS_AT_ONCE, limit - found.length), before };
      const { heads, last }: FoundQuestions = await this.#ask(
        () => this.#thread.ask({ kind: 'questions', page }),
        NONE,
      );
      found.push(...heads.filter((head) => !this.#removals.covers(head)));
      before = last;
    } while (before !== null && found.length < limit && !this.#isClosing);
    return found;
  }

  look(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.isAway) {
      if (nowMs - this.#retriedAtMs >= RETRY_AFTER_MS) void this.#retry();
      return;
    }
    if (this.#generation === 0) {
      // Another process may have created the file.
      if (!this.#isOpened) void this.open();
      return;
    }
    if (this.#reader === null) this.#openReader();
    for (const removal of this.#read((reader) => reader.removals(), [])) this.#options.owner.removed(removal);
    if (!this.queue.isEmpty) this.#writes.schedule();
    if (nowMs - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs;
    this.#reportNotKept();
    void this.#ask(() => this.#thread.ask({ kind: 'sweep' }), []).then((gone) => this.#options.owner.gone(gone));
  }

  /** Flushes the queue within a bounded time. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await within(CLOSE_WITHIN_MS, this.#writes.flush()).catch(() => {});
    // The last connection to close empties the WAL.
    this.#reader?.close();
    this.#reader = null;
    await this.#thread.close();
  }

  async #writeAll(): Promise<void> {
    while (!this.queue.isEmpty && !this.isAway) {
      const batch = this.queue.take(BATCH_BYTES, BATCH_ENTRIES);
      const result = await this.#asked(this.#thread.ask({ kind: 'write', batch }), null);
      // Entries that were removed or replaced meanwhile are not current.
      const current = batch.entries.filter((entry) => this.queue.get(entry.key) === entry);
      this.queue.written(batch.entries);
      const refused = result?.refused ?? batch.entries;
      const missing = new Set(refused.map(({ id }) => id));
      this.#options.owner.written(current.filter(({ id }) => !missing.has(id)));
      this.#options.owner.gone([...current.filter(({ id }) => missing.has(id)), ...(result?.gone ?? [])]);
    }
    // Drops entries that arrived before the failure was known.
    if (this.isAway) this.#giveUp();
  }

  #giveUp(): void {
    const entries = [...this.queue.entries()];
    this.queue.written(entries);
    this.#options.owner.gone(entries);
  }

  async #remove(removal: Removal): Promise<number> {
    const removed = await this.#asked(this.#thread.ask({ kind: 'remove', removal }), null);
    if (removed !== null) this.#removals.done(removal);
    return removed ?? 0;
  }

  async #retry(): Promise<void> {
    this.#retriedAtMs = this.#options.clock.monotonicMs();
    let isBack = await this.#isDone(this.#thread.ask({ kind: 'open', damage: null }));
    for (const removal of this.#removals.all) {
      if (isBack) isBack = await this.#isDone(this.#thread.ask({ kind: 'remove', removal }));
      if (isBack) this.#removals.done(removal);
    }
    // Checks that it can be written, not only opened.
    isBack &&= await this.#isDone(this.#thread.ask({ kind: 'sweep' }));
    if (!isBack || this.#awaySinceMs === null) return;
    const durationMs = Math.round(this.#options.clock.monotonicMs() - this.#awaySinceMs);
    this.#awaySinceMs = null;
    this.#options.logger.warn({ path: this.#options.path, durationMs }, 'the cache is stored on disk again');
  }

  async #isDone(task: Promise<unknown>): Promise<boolean> {
    return task.then(
      () => true,
      () => false,
    );
  }

  async #ask<Result>(task: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (this.isAway) return otherwise;
    return this.#asked(task(), otherwise);
  }

  async #asked<Result>(task: Promise<Result>, otherwise: Result): Promise<Result> {
    try {
      return await task;
    } catch (error) {
      this.#failed(error);
      return otherwise;
    }
  }

  #failed(error: unknown): void {
    if (this.isAway) return;
    const nowMs = this.#options.clock.monotonicMs();
    this.#awaySinceMs = nowMs;
    this.#retriedAtMs = nowMs;
    const { logger, path } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    const fields = { path, code: errorCodeOf(error), reason };
    logger.error(fields, 'the cache cannot be stored on disk and is in memory only for now');
  }

  #answered(answer: CacheAnswer): void {
    const { logger, path, owner } = this.#options;
    for (const notice of answer.notes) logger.warn({ path, notice }, 'the file of the cache was changed');
    if ('statistics' in answer) this.#statistics = answer.statistics;
    if (answer.generation === this.#generation) return;
    const isAnother = this.#generation > 0;
    this.#generation = answer.generation;
    this.#openReader();
    if (isAnother) owner.emptied();
  }

  #openReader(): void {
    this.#reader?.close();
    this.#reader = null;
    try {
      this.#reader = new CacheReader({ path: this.#options.path, codec: this.#codec, writer: this.#writer });
    } catch (error) {
      this.#unreadable(error);
    }
  }

  #read<Result>(read: (reader: CacheReader) => Result, otherwise: Result): Result {
    if (this.#reader === null) return otherwise;
    try {
      return read(this.#reader);
    } catch (error) {
      this.#reader.close();
      this.#reader = null;
      this.#unreadable(error);
      return otherwise;
    }
  }

  #reportNotKept(): void {
    if (this.#notKept === 0) return;
    const { logger, path } = this.#options;
    logger.warn({ path, entries: this.#notKept }, 'cache entries were not stored on disk: they arrived too fast');
    this.#notKept = 0;
  }

  #unreadable(error: unknown): void {
    if (isDamage(error)) void this.#asked(this.#thread.ask({ kind: 'open', damage: String(error) }), null);
    else this.#failed(error);
  }

  #usable(key: string | null, found: CacheEntry | null | 'unreadable'): CacheEntry | null {
    if (found !== 'unreadable') return found === null || this.#removals.covers(found) ? null : found;
    if (key !== null) void this.#ask(() => this.#thread.ask({ kind: 'drop', keys: [key] }), undefined);
    return null;
  }
}
