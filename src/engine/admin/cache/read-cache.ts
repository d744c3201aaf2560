import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheReport } from '../../ports/cache-reports.ts';
import type { CacheEntrySummary, CacheStoreStatistics } from '../../ports/cache-store.ts';
import type { CacheSettings } from '../../settings/cache-settings.ts';
import { isoTime, timeOrNull } from '../schema/iso-time.ts';
import type { ShownEntry } from './list-entries.ts';

/** Returns a listed entry as JSON, never with the question or the answer; times are RFC 3339 in UTC. */
export function entryWords(entry: CacheEntrySummary) {
  return { ...factWords(entry), bytes: entry.bytes, semantic: entry.isSemantic };
}

/** Returns everything that an operator may see of an entry, which excludes the question and the answer. */
export function shownEntryWords({ entry, reports }: ShownEntry) {
  return {
    ...factWords(entry),
    channel_name: entry.channel.name,
    provider: entry.channel.provider,
    private: entry.channel.channelType === 'PRIVATE',
    answer_bytes: entry.answer.byteLength,
    semantic: entry.question !== null,
    key: entry.key,
    reports,
  };
}

function factWords(entry: Omit<CacheEntry, 'answer' | 'question'>) {
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
export function reportWords(report: CacheReport) {
  return {
    id: report.id,
    entry: report.entryId,
    account: report.accountId,
    key: report.keyId,
    model: report.modelId,
    type: report.type,
    description: report.description,
    reported_at: isoTime(report.atMs),
    invalidated_at: timeOrNull(report.invalidatedAtMs),
  };
}

/** Returns the size of the cache on the disk or in Redis as JSON; each process's metrics cover its memory. */
export function statisticsWords(beyond: NonNullable<CacheStoreStatistics['beyond']>, settings: CacheSettings) {
  const { kind, entries, bytes } = beyond;
  return { kind, entries, bytes, most_bytes: kind === 'redis' ? settings.redisBytes : settings.diskBytes };
}
