import type { CacheEntry } from '../../../domain/cache/cache.ts';
import { type CacheReport, type CacheReportStore, WITHOUT_KEY } from '../../ports/cache-reports.ts';
import type { CacheEntrySummary, CacheStore, CacheStoreStatistics } from '../../ports/cache-store.ts';
import type { CacheSettings } from '../../settings/settings.ts';
import { AdminError } from '../admin-error.ts';
import { LARGEST_PAGE, limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

export interface WantedEntries extends PageRequest {
  /** Restricts the list to entries made by this account's requests. */
  readonly account?: string | undefined;
}

/** Returns entries, newest first. Throws `AdminError`. */
export async function listCacheEntries(
  { cache }: { readonly cache: Pick<CacheStore, 'list'> },
  { account, ...page }: WantedEntries,
): Promise<Page<CacheEntrySummary>> {
  const limit = limitOf(page);
  const [storedAt, id] = placeAfter(page, 2) ?? [];
  const before = id === undefined ? null : { storedAtMs: Number(storedAt), id };
  const found = await cache.list({ limit: limit + 1, before, accountId: account ?? null });
  return pageOf(found, limit, (entry) => [String(entry.storedAtMs), entry.id]);
}

interface ShownEntry {
  readonly entry: CacheEntry;
  /** The number of keys that have reported it, at most 1000. */
  readonly reports: number;
}

/** Returns one entry of this account or, for `null`, of any. Throws `AdminError`. */
export async function showCacheEntry(
  stores: {
    readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'>;
    readonly cacheReports: Pick<CacheReportStore, 'list'>;
  },
  id: string,
  accountId: string | null,
): Promise<ShownEntry> {
  const entry = await existingEntry(stores, id, accountId);
  const page = { limit: LARGEST_PAGE, before: null, accountId: null, entryId: entry.id };
  return { entry, reports: (await stores.cacheReports.list(page)).length };
}

/** Resolves to the entry with this id, of this account or, for `null`, of any. Throws `AdminError`. */
export async function existingEntry(
  { cache }: { readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'> },
  id: string,
  accountId: string | null,
): Promise<CacheEntry> {
  const entry = await cache.findById(id);
  if (entry !== null && (accountId === null || entry.accountId === accountId)) return entry;
  const named = `"${id.slice(0, 100)}"`;
  if (accountId === null && (await cache.wasInvalidated(id)))
    throw new AdminError('conflict', 'entry', `${named} was already invalidated`);
  throw new AdminError('not_found', 'entry', `there is no entry ${named}: it has expired or was evicted`);
}

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

/** Returns a listed entry as JSON, never with the question or the answer; times are RFC 3339 in UTC. */
export function cacheEntryView(entry: CacheEntrySummary) {
  return { ...factsView(entry), bytes: entry.bytes, semantic: entry.isSemantic };
}

/** Returns everything that an operator may see of an entry, which excludes the question and the answer. */
export function shownCacheEntryView({ entry, reports }: ShownEntry) {
  return {
    ...factsView(entry),
    channel_name: entry.channel.name,
    provider: entry.channel.provider,
    private: entry.channel.channelType === 'PRIVATE',
    answer_bytes: entry.answer.byteLength,
    semantic: entry.question !== null,
    key: entry.key,
    reports,
  };
}

function factsView(entry: Omit<CacheEntry, 'answer' | 'question'>) {
  return {
    id: entry.id,
    account: entry.accountId,
    shared: entry.isShared,
    model: entry.modelId,
    channel: entry.channel.id,
    upstream_model: entry.upstreamModel,
    stored_at: isoTime(entry.storedAtMs),
    expires_at: isoTime(entry.expiresAtMs),
  };
}

/** Returns a report as JSON. `description` is the client's own text. */
export function cacheReportView(report: CacheReport) {
  return {
    id: report.id,
    entry: report.entryId,
    account: report.accountId,
    key: report.keyId.startsWith(WITHOUT_KEY) ? null : report.keyId,
    model: report.modelId,
    type: report.type,
    description: report.description,
    reported_at: isoTime(report.atMs),
    invalidated_at: timeOrNull(report.invalidatedAtMs),
  };
}

/** Returns the size of the cache on the disk or in Redis as JSON; each process's metrics cover its memory. */
export function cacheStatisticsView(beyond: NonNullable<CacheStoreStatistics['beyond']>, settings: CacheSettings) {
  const { kind, entries, bytes } = beyond;
  return { kind, entries, bytes, most_bytes: kind === 'redis' ? settings.redisBytes : settings.diskBytes };
}
