import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { CacheEntry } from '../../domain/cache/cache-entry.ts';
import type { CacheEntrySummary, CachePage } from '../../engine/ports/cache-store.ts';
import type { EntryCodec, EntryHead } from '../shared/cache/entry-codec.ts';
import { entryBytes } from '../shared/cache/entry-size.ts';
import type { Removal } from '../shared/cache/pending-removals.ts';
import type { WriteBatch } from '../shared/cache/write-queue.ts';
import { inTransaction } from './connection.ts';

export interface CacheFileOptions {
  readonly path: string;
  /** Of the file with its write-ahead log. */
  readonly maxBytes: number;
  readonly codec: EntryCodec;
  /** Names this process among those that remove entries. */
  readonly writer: string;
}

/** Of an entry that is gone, or was not kept. */
export type EntryName = Pick<CacheEntry, 'id' | 'key'>;

export interface CacheFileStatistics {
  readonly entries: number;
  readonly bytes: number;
}

/** Where an entry stands in its partition. */
export interface QuestionPlace {
  readonly storedAtMs: number;
  readonly number: number;
}

export interface QuestionsPage {
  readonly partition: string;
  readonly limit: number;
  /** The last one of the page before; it need not exist any more. */
  readonly before: QuestionPlace | null;
}

/** The newest first. `last` is `null` where there are no others. */
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
/** The log is emptied at half of its share. */
const MOST_LOG_BYTES = 32 * MIB;
/** As everywhere in the house. */
const ACCOUNT_SHARE = 0.5;
/** For the pages of the indexes that a row may split. */
const SPARE_PAGES = 16;
const EVICTED_AT_ONCE = 16;
const SWEPT_AT_ONCE = 500;
/** For rows that are changed on their way out: 1 MiB of pages. */
const VACUUMED_AT_ONCE = 256;
const MOST_REMOVALS = 20_000;
const MOST_SERVED = 50_000;
/** Every process looks once a second. */
const REMOVALS_KEPT_MS = 3_600_000;

/** So much of the bound is for the write-ahead log and its index. */
export function logBytesOf(maxBytes: number): number {
  return Math.min(MOST_LOG_BYTES, Math.max(4 * MIB, maxBytes / 8), maxBytes / 2);
}

/** The file of a cache: all that is written to it, and what takes long to read. It works in the thread that calls it. */
export class CacheFile {
  readonly #database: Database;
  readonly #options: CacheFileOptions;
  readonly #logBytes: number;
  readonly #maxPages: number;

  /** `database` has the schema. */
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

  /** Gives which entries had to go, and which were not kept. */
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

  /** Gives how many entries went. */
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

  /** Those that do not open. */
  drop(keys: readonly string[]): void {
    const drop = this.#database.query('DELETE FROM entries WHERE key = ?');
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const key of keys) drop.run(key);
    });
  }

  /** Drops a part of what has expired, and what is over the bound since that was made smaller. Gives what is gone. */
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
      // Only then is the file shorter.
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

  /** In small steps, so that other processes can write in between; what comes meanwhile stays. */
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

  /** Counts pages, not bytes: what rows and their indexes really take. */
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

  /** Those that do not open are removed. */
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

  /** SQLite refuses to grow beyond it; a file that is larger already keeps its size until it is made smaller. */
  #bound(): void {
    this.#database.run(`PRAGMA max_page_count = ${this.#maxPages}`);
  }

  #emptyLog(): void {
    if (this.#loggedBytes() > this.#logBytes / 2) this.#checkpoint();
  }

  /** Does nothing where another process reads just then. */
  #checkpoint(): void {
    this.#database.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
  }

  #loggedBytes(): number {
    return statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
