import type { CacheReport, CacheReportStore, CountedReport } from '../../ports/cache-reports.ts';

/** Keeps reports in an array, without bounds. A key's second report of an entry is not new. */
export class FakeCacheReports implements CacheReportStore {
  private reports: CacheReport[] = [];

  async add(report: CacheReport): Promise<CountedReport> {
    const { entryId, accountId, keyId } = report;
    const ofEntry = () => this.reports.filter((one) => one.entryId === entryId);
    const isNew = !ofEntry().some((one) => one.accountId === accountId && one.keyId === keyId);
    if (isNew) this.reports.push(report);
    return { isNew, keys: ofEntry().length, accounts: new Set(ofEntry().map((one) => one.accountId)).size };
  }

  async invalidated(entryId: string, atMs: number): Promise<void> {
    this.reports = this.reports.map((one) => (one.entryId === entryId ? { ...one, invalidatedAtMs: atMs } : one));
  }

  async list(): Promise<readonly CacheReport[]> {
    return this.reports.toReversed();
  }

  async removeOld(): Promise<number> {
    return 0;
  }
}
