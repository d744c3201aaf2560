import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage } from '../../engine/ports/cache-store.ts';
import type { EntryCodec, EntryHead } from '../shared/cache/entry-codec.ts';
import { entryBytes } from '../shared/cache/entry-size.ts';
import type { Removal } from '../shared/cache/pending-removals.ts';
import type { WriteBatch } from '../shared/cache/write-queue.ts';
import { inTransaction } from './connection.ts';

export interface CacheFileOptions {
  readonly path: string;
  /** The limit for the file including its WAL. */
  readonly maxBytes: number;
  readonly codec: EntryCodec;
  /** Identifies this process in removals. */
  readonly writer: string;
}

/** Names an entry that was removed or not stored. */
export type EntryName = Pick<CacheEntry, 'id' | 'key'>;

export interface CacheFileStatistics {
  readonly entries: number;
  readonly bytes: number;
}

/** The position of an entry in its partition. */
export interface QuestionPlace {
  readonly storedAtMs: number;
  readonly number: number;
}

export interface QuestionsPage {
  readonly partition: string;
  readonly limit: number;
  /** The last entry of the previous page; it may have been removed since. */
  readonly before: QuestionPlace | null;
}

/** Questions from newest to oldest. `last` is `null` if there are no more. */
export interface FoundQuestions {
  readonly heads: readonly EntryHead[];
  readonly last: QuestionPlace | null;
}

interface Row {
  readonly number: number;
  readonly key: string;
  readonly id: string;
}

interface HeadRow {
  readonly key: string;
  readonly head: Uint8Array;
}

export const PAGE_BYTES = 4_096;
const MIB = 1024 * 1024;
/** The WAL is truncated at half of its share. */
const MOST_LOG_BYTES = 32 * MIB;
/** The same share as in the other caches. */
const ACCOUNT_SHARE = 0.5;
/** Reserved for index pages that a row may split. */
const SPARE_PAGES = 16;
const EVICTED_AT_ONCE = 16;
const SWEPT_AT_ONCE = 500;
/** The number of pages freed per step, 1 MiB. */
const VACUUMED_AT_ONCE = 256;
const MOST_REMOVALS = 20_000;
const MOST_SERVED = 50_000;
/** Every process polls once a second. */
const REMOVALS_KEPT_MS = 3_600_000;

/** Returns the part of the limit reserved for the WAL and its index. */
export function logBytesOf(maxBytes: number): number {
  return Math.min(MOST_LOG_BYTES, Math.max(4 * MIB, maxBytes / 8), maxBytes / 2);
}

/** All writes to a cache file and its slow reads. Works in the caller's thread. */
export class CacheFile {
  readonly #database: Database;
  readonly #options: CacheFileOptions;
  readonly #logBytes: number;
  readonly #maxPages: number;

  /** `database` must have the schema. */
  constructor(database: Database, options: CacheFileOptions) {
    this.#database = database;
    this.#options = options;
    this.#logBytes = logBytesOf(options.maxBytes);
    this.#maxPages = Math.floor((options.maxBytes - this.#logBytes) / PAGE_BYTES);
    database.run('PRAGMA wal_autocheckpoint = 0');
    this.#bound();
  }

  get statistics(): CacheFileStatistics {
    const [sum] = this.#database
      .query<{ entries: number | null }, []>('SELECT sum(entries) AS entries FROM accounts')
      .all();
    return { entries: sum?.entries ?? 0, bytes: this.#usedPages() * PAGE_BYTES };
  }

  /** Writes a batch. Returns the entries that were evicted and those that were not stored. */
  write({ entries, uses, services }: WriteBatch, nowMs: number): { gone: EntryName[]; refused: EntryName[] } {
    const gone: EntryName[] = [];
    const refused: EntryName[] = [];
    this.#emptyLog();
    const hasLogRoom = this.#loggedBytes() <= this.#logBytes / 2;
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const entry of entries) {
        if (!hasLogRoom || !this.#put(entry, nowMs, gone)) refused.push({ id: entry.id, key: entry.key });
      }
      const use = this.#database.query('UPDATE entries SET used_at_ms = ?2 WHERE key = ?1');
      for (const { key, atMs } of uses) use.run(key, atMs);
      const serve = this.#database.query('INSERT OR IGNORE INTO served (id, account_id) VALUES (?1, ?2)');
      for (const { id, accountId } of services) serve.run(id, accountId);
    });
    this.#emptyLog();
    return { gone, refused };
  }

  /** Applies a removal. Returns the number of entries removed. */
  remove(removal: Removal, nowMs: number): number {
    const { writer } = this.#options;
    this.#emptyLog();
    const { key, id, untilMs, accountId } =
      removal.kind === 'invalidate'
        ? { ...removal.block, accountId: null }
        : { key: null, id: null, untilMs: 0, accountId: removal.accountId };
    const before = this.statistics.entries;
    const last = inTransaction(this.#database, 'IMMEDIATE', () => {
      this.#database
        .query('INSERT INTO removals (writer, at_ms, key, id, until_ms, account_id) VALUES (?, ?, ?, ?, ?, ?)')
        .run(writer, nowMs, key, id, Math.floor(Math.min(untilMs, Number.MAX_SAFE_INTEGER)), accountId);
      if (key !== null) this.#database.query('DELETE FROM entries WHERE key = ?').run(key);
      return this.#database.query<{ last: number | null }, []>('SELECT max(number) AS last FROM entries').get()?.last;
    });
    if (key === null) this.#removeUpTo(last ?? 0, accountId);
    this.#emptyLog();
    return before - this.statistics.entries;
  }

  /** Deletes entries that cannot be decoded. */
  drop(keys: readonly string[]): void {
    const drop = this.#database.query('DELETE FROM entries WHERE key = ?');
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const key of keys) drop.run(key);
    });
  }

  /** Deletes some of the expired entries, and those that exceed a lowered limit. Returns the deleted entries. */
  sweep(nowMs: number): EntryName[] {
    const gone: EntryName[] = [];
    inTransaction(this.#database, 'IMMEDIATE', () => {
      this.#evict('WHERE expires_at_ms <= ?1 LIMIT ?2', [nowMs, SWEPT_AT_ONCE], gone);
      this.#database
        .query(
          'DELETE FROM removals WHERE (until_ms <= ?1 AND at_ms < ?2) OR number <= (SELECT max(number) FROM removals) - ?3',
        )
        .run(nowMs, nowMs - REMOVALS_KEPT_MS, MOST_REMOVALS);
      this.#database.query('DELETE FROM served WHERE number <= (SELECT max(number) FROM served) - ?1').run(MOST_SERVED);
      if (this.#usedPages() > this.#maxPages) {
        this.#evict('ORDER BY used_at_ms LIMIT ?1', [EVICTED_AT_ONCE], gone);
      }
    });
    if (this.#pragma('page_count') > this.#maxPages) {
      // Each step frees one page.
      this.#database.query(`PRAGMA incremental_vacuum(${VACUUMED_AT_ONCE})`).all();
      this.#bound();
      // The file only shrinks at a checkpoint.
      this.#checkpoint();
    }
    this.#emptyLog();
    return gone;
  }

  list({ limit, before, accountId }: CachePage, nowMs: number): CacheEntrySummary[] {
    const rows = this.#database
      .query<HeadRow, [number, number, string, string | null, number]>(`
        SELECT key, head FROM entries
        WHERE (stored_at_ms, id) < (?2, ?3) AND expires_at_ms > ?1 AND (?4 IS NULL OR account_id = ?4)
        ORDER BY stored_at_ms DESC, id DESC LIMIT ?5
      `)
      .all(nowMs, before?.storedAtMs ?? Number.MAX_SAFE_INTEGER, before?.id ?? '', accountId, limit);
    return this.#opened(rows).map(({ question, ...facts }) => ({ ...facts, isSemantic: question !== null }));
  }

  questions({ partition, limit, before }: QuestionsPage, nowMs: number): FoundQuestions {
    const rows = this.#database
      .query<HeadRow & QuestionPlace, [string, number, number, number, number]>(`
        SELECT key, head, stored_at_ms AS storedAtMs, number FROM entries
        WHERE partition = ?1 AND (stored_at_ms, number) < (?2, ?3) AND expires_at_ms > ?4
        ORDER BY stored_at_ms DESC, number DESC LIMIT ?5
      `)
      .all(partition, before?.storedAtMs ?? Number.MAX_SAFE_INTEGER, before?.number ?? 0, nowMs, limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const heads = this.#opened(rows);
    return { heads, last: last === undefined ? null : { storedAtMs: last.storedAtMs, number: last.number } };
  }

  close(): void {
    this.#database.close();
  }

  /** Works in small steps, so that other processes can write in between. Keeps entries that arrive meanwhile. */
  #removeUpTo(last: number, accountId: string | null): void {
    const which = 'WHERE number <= ?1 AND (?2 IS NULL OR account_id = ?2) LIMIT ?3';
    const step = () => this.#evict(which, [last, accountId, SWEPT_AT_ONCE], []);
    while (inTransaction(this.#database, 'IMMEDIATE', step) > 0) this.#emptyLog();
  }

  #put(entry: CacheEntry, nowMs: number, gone: EntryName[]): boolean {
    const { key, id, accountId, question, storedAtMs, expiresAtMs } = entry;
    if (expiresAtMs <= nowMs || this.#isBlocked(key, nowMs)) return false;
    const bytes = entryBytes(entry);
    const pages = Math.ceil(bytes / PAGE_BYTES) + SPARE_PAGES;
    const share = this.#maxPages * PAGE_BYTES * ACCOUNT_SHARE;
    if (bytes > share || pages * PAGE_BYTES > this.#logBytes / 4) return false;
    this.#database.query('DELETE FROM entries WHERE key = ?1 OR id = ?2').run(key, id);
    if (!this.#makeRoom(pages, gone)) return false;
    while (this.#accountBytes(accountId) + bytes > share) {
      this.#evict('WHERE account_id = ?1 ORDER BY used_at_ms LIMIT ?2', [accountId, EVICTED_AT_ONCE], gone);
    }
    const { head, body } = this.#options.codec.close(entry);
    this.#database
      .query(`
        INSERT INTO entries (key, id, account_id, partition, stored_at_ms, expires_at_ms, used_at_ms, bytes, head, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      `)
      .run(...[key, id, accountId, question?.partition ?? null], storedAtMs, expiresAtMs, nowMs, bytes, head, body);
    return true;
  }

  #isBlocked(key: string, nowMs: number): boolean {
    const block = this.#database.query('SELECT 1 FROM removals WHERE key = ?1 AND until_ms > ?2');
    return block.get(key, nowMs) !== null;
  }

  /** Counts pages rather than bytes, to include the real size of rows and indexes. */
  #makeRoom(pages: number, gone: EntryName[]): boolean {
    while (this.#usedPages() + pages > this.#maxPages) {
      if (this.#evict('ORDER BY used_at_ms LIMIT ?1', [EVICTED_AT_ONCE], gone) === 0) return false;
    }
    return true;
  }

  #evict(which: string, parameters: (string | number | null)[], gone: EntryName[]): number {
    const rows = this.#database
      .query<Row, (string | number | null)[]>(`SELECT number, key, id FROM entries ${which}`)
      .all(...parameters);
    const remove = this.#database.query('DELETE FROM entries WHERE number = ?');
    for (const { number, key, id } of rows) {
      remove.run(number);
      gone.push({ key, id });
    }
    return rows.length;
  }

  #accountBytes(accountId: string): number {
    const account = this.#database.query<{ bytes: number }, [string]>(
      'SELECT bytes FROM accounts WHERE account_id = ?',
    );
    return account.get(accountId)?.bytes ?? 0;
  }

  /** Decodes rows, and deletes those that cannot be decoded. */
  #opened(rows: readonly HeadRow[]): EntryHead[] {
    const { codec } = this.#options;
    const heads = rows.map(({ key, head }) => codec.openHead(key, head));
    const unreadable = rows.filter((_, index) => heads[index] === null).map(({ key }) => key);
    if (unreadable.length > 0) this.drop(unreadable);
    return heads.filter((head) => head !== null);
  }

  #usedPages(): number {
    return this.#pragma('page_count') - this.#pragma('freelist_count');
  }

  #pragma(name: 'page_count' | 'freelist_count'): number {
    const row = this.#database.query<Record<string, number>, []>(`PRAGMA ${name}`).get();
    return row?.[name] ?? 0;
  }

  /** Sets the limit beyond which SQLite does not grow the file. A larger file keeps its size until it is vacuumed. */
  #bound(): void {
    this.#database.run(`PRAGMA max_page_count = ${this.#maxPages}`);
  }

  #emptyLog(): void {
    if (this.#loggedBytes() > this.#logBytes / 2) this.#checkpoint();
  }

  /** Has no effect while another process is reading. */
  #checkpoint(): void {
    this.#database.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
  }

  #loggedBytes(): number {
    return statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
