import type { CacheReport, CacheReportStore, CountedReport } from '../../engine/ports/cache-reports.ts';
import { removeWhere } from './remove-where.ts';

const CAPACITY = 10_000;

export class MemoryCacheReports implements CacheReportStore {
  /** In insertion order. */
  #reports: CacheReport[] = [];

  async add(report: CacheReport, mostOfAccount: number): Promise<CountedReport> {
    const isNew = !this.#reports.some((one) => isVoteOf(one, report));
    if (isNew) {
      const own = this.#reports.filter(({ accountId }) => accountId === report.accountId);
      const leaving = new Set(own.slice(0, Math.max(0, own.length + 1 - Math.max(1, mostOfAccount))));
      this.#reports = [...this.#reports.filter((one) => !leaving.has(one)), { ...report }].slice(-CAPACITY);
    }
    const ofEntry = this.#reports.filter(({ entryId }) => entryId === report.entryId);
    return { isNew, keys: ofEntry.length, accounts: new Set(ofEntry.map(({ accountId }) => accountId)).size };
  }

  async invalidated(entryId: string, atMs: number): Promise<void> {
    this.#reports = this.#reports.map((one) =>
      one.entryId === entryId && one.invalidatedAtMs === null ? { ...one, invalidatedAtMs: atMs } : one,
    );
  }

  async list(page: {
    readonly limit: number;
    readonly before: string | null;
    readonly accountId: string | null;
    readonly entryId: string | null;
  }): Promise<readonly CacheReport[]> {
    const { limit, before, accountId, entryId } = page;
    const end = before === null ? this.#reports.length : this.#reports.findIndex(({ id }) => id === before);
    return this.#reports
      .slice(0, Math.max(0, end))
      .filter((one) => accountId === null || one.accountId === accountId)
      .filter((one) => entryId === null || one.entryId === entryId)
      .toReversed()
      .slice(0, Math.max(0, limit));
  }

  removeOf(accountId: string, isCounted: boolean): number {
    return removeWhere(this.#reports, isCounted, (report) => report.accountId === accountId);
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    const old = this.#reports.filter(({ atMs }) => atMs < beforeMs).sort((a, b) => a.atMs - b.atMs);
    const leaving = new Set(old.slice(0, Math.max(0, limit)));
    this.#reports = this.#reports.filter((one) => !leaving.has(one));
    return leaving.size;
  }
}

function isVoteOf(one: CacheReport, { entryId, accountId, keyId }: CacheReport): boolean {
  return one.entryId === entryId && one.accountId === accountId && one.keyId === keyId;
}
