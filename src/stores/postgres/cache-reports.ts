import type { Pool } from 'pg';
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
import { inTransaction, query } from './connection.ts';

const STATEMENTS = cacheReportStatements('$', 'FOR UPDATE SKIP LOCKED');

/**
 * Reports of one entry are added one after another: two at once would not see each other, and each would count too few. The number
 * keeps the locks of reports apart from those of other tables; two entries that share one only wait for each other.
 */
const LOCK_ENTRY = 'SELECT pg_advisory_xact_lock(1667330675, hashtext($1))';

export interface PostgresCacheReportsOptions {
  readonly pool: Pool;
  readonly box: ContentBox;
}

/** Descriptions are encrypted, as all that clients say is. */
export class PostgresCacheReports implements CacheReportStore {
  readonly #pool: Pool;
  readonly #box: ContentBox;

  constructor({ pool, box }: PostgresCacheReportsOptions) {
    this.#pool = pool;
    this.#box = box;
  }

  async add(report: CacheReport, mostOfAccount: number): Promise<CountedReport> {
    const values = toCacheReportValues(report, this.#box);
    return await inTransaction(this.#pool, async (session) => {
      await session.query(LOCK_ENTRY, [report.entryId]);
      const isNew = (await session.query(STATEMENTS.add, values)).rowCount === 1;
      if (isNew) await session.query(STATEMENTS.makeRoom, [report.accountId, Math.max(1, mostOfAccount)]);
      const { rows } = await session.query<{ keys: bigint; accounts: bigint }>(STATEMENTS.count, [report.entryId]);
      return { isNew, keys: Number(rows[0]?.keys ?? 0), accounts: Number(rows[0]?.accounts ?? 0) };
    });
  }

  async invalidated(entryId: string, atMs: number): Promise<void> {
    await query(this.#pool, STATEMENTS.invalidated, [entryId, Math.floor(atMs)]);
  }

  async list(page: CacheReportPage): Promise<readonly CacheReport[]> {
    const { sql, values } = cacheReportsPage('$', page);
    const { rows } = await query<CacheReportRow>(this.#pool, sql, values);
    return rows.map((row) => fromCacheReportRow(row, this.#box));
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    const values = [Math.floor(beforeMs), Math.max(0, Math.floor(limit))];
    return (await query(this.#pool, STATEMENTS.removeOld, values)).rowCount ?? 0;
  }
}
