import type { CacheReport, CacheReportStore } from '../../ports/cache-reports.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';

export interface WantedReports extends PageRequest {
  /** Restricts the list to reports by this account's keys. */
  readonly account?: string | undefined;
  /** Restricts the list to reports of this entry, which may no longer exist. */
  readonly entry?: string | undefined;
}

/** Returns reports, newest first. Throws `AdminError`. */
export async function listCacheReports(
  { cacheReports }: { readonly cacheReports: Pick<CacheReportStore, 'list'> },
  { account, entry, ...page }: WantedReports,
): Promise<Page<CacheReport>> {
  const limit = limitOf(page);
  const [before = null] = placeAfter(page, 1) ?? [];
  const only = { accountId: account ?? null, entryId: entry ?? null };
  const found = await cacheReports.list({ limit: limit + 1, before, ...only });
  return pageOf(found, limit, ({ id }) => [id]);
}
