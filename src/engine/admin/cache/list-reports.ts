import type { CacheReport, CacheReportStore } from '../../ports/cache-reports.ts';
import { limitOf } from '../page.ts';

export interface WantedReports {
  /** Only what this account's keys have reported. */
  readonly account?: string | undefined;
  /** Only of this entry, which may be gone. */
  readonly entry?: string | undefined;
  /** From 1 to 1000; 50 by default. */
  readonly limit?: number | undefined;
}

/** The newest first. Throws `AdminError`. */
export async function listCacheReports(
  { cacheReports }: { readonly cacheReports: Pick<CacheReportStore, 'list'> },
  { account, entry, limit }: WantedReports,
): Promise<readonly CacheReport[]> {
  const only = { accountId: account ?? null, entryId: entry ?? null };
  return cacheReports.list({ limit: limitOf({ limit }), before: null, ...only });
}
