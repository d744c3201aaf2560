import type { Database } from 'bun:sqlite';
import type { CacheReport, CacheReportStore, CountedReport } from '../../engine/ports/cache-reports.ts';
import type { ContentBox } from '../shared/content-box.ts';
import {
  type CacheReportPage,
  type CacheReportRow,
  cacheReportStatements,
  cacheReportsPage,
  fromCacheReportRow,
  toCacheReportValues,
} from '../shared/tables/cache-reports.ts';
import { GroupCommit } from './group-commit.ts';

const STATEMENTS = cacheReportStatements('?', '');

type Counts = Omit<CountedReport, 'isNew'>;

export interface SqliteCacheReportsOptions {
  /** Its transactions wait for the disk, and it has no busy timeout. */
  readonly database: Database;
  readonly box: ContentBox;
}

/** Descriptions are encrypted, as all that clients say is. */
export class SqliteCacheReports implements CacheReportStore {
  readonly #database: Database;
  readonly #box: ContentBox;
  readonly #writes: GroupCommit;

  constructor({ database, box }: SqliteCacheReportsOptions) {
    this.#database = database;
    this.#box = box;
    this.#writes = new GroupCommit(database);
  }

  async add(report: CacheReport, mostOfAccount: number): Promise<CountedReport> {
    const values = toCacheReportValues(report, this.#box);
    return await this.#writes.run(report.description.length, () => {
      const isNew = this.#database.query(STATEMENTS.add).run(...values).changes === 1;
      if (isNew) this.#database.query(STATEMENTS.makeRoom).run(report.accountId, Math.max(1, mostOfAccount));
      const counted = this.#database.query<Counts, [string]>(STATEMENTS.count).get(report.entryId);
      return { isNew, keys: counted?.keys ?? 0, accounts: counted?.accounts ?? 0 };
    });
  }

  async invalidated(entryId: string, atMs: number): Promise<void> {
    await this.#writes.run(0, () => void this.#database.query(STATEMENTS.invalidated).run(entryId, Math.floor(atMs)));
  }

  async list(page: CacheReportPage): Promise<readonly CacheReport[]> {
    const { sql, values } = cacheReportsPage('?', page);
    return this.#database
      .query<CacheReportRow, (string | number)[]>(sql)
      .all(...values)
      .map((row) => fromCacheReportRow(row, this.#box));
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    return await this.#writes.run(
      0,
      () => this.#database.query(STATEMENTS.removeOld).run(beforeMs, Math.max(0, Math.floor(limit))).changes,
    );
  }

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}
