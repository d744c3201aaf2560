import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { ChannelLatency, RequestLog } from '../../ports/request-log.ts';
import type { UsageSpan, UsageStore, UsageSum } from '../../ports/usage-store.ts';
import { limitOf, type Page } from '../page.ts';
import { isoTime } from '../view-fields.ts';
import { channelIds, type WantedChannels } from './read-channels.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const TRAFFIC_HOURS = 24;
/** The most channels per page: their hourly sums are read at once. */
export const MOST_TRAFFIC = 400;
/** How many lines of the request log are read per hour to find percentiles, which takes milliseconds at any size of the log. */
export const LATENCY_LINES = 1_000;

interface ChannelTraffic {
  readonly channelId: string;
  /** The hours, oldest first; the last one has begun. */
  readonly spans: readonly UsageSpan[];
  /** The sums of the hours that had requests. */
  readonly sums: readonly UsageSum[];
  /** `null` if no request in the sample went over the channel. */
  readonly latency: ChannelLatency | null;
}

interface Ports {
  readonly directory: Pick<DirectoryStore, 'read'>;
  readonly usage: Pick<UsageStore, 'sum'>;
  readonly requestLog: Pick<RequestLog, 'latencies'>;
}

/**
 * Resolves to the recent traffic of a page of channels, in the order of the list: of the account's own channels, or for `null` of any, over
 * all accounts. Throws `AdminError` for an invalid page.
 */
export async function channelTraffic(
  { directory, usage, requestLog }: Ports,
  nowMs: number,
  { accountId, ...request }: Omit<WantedChannels, 'owner' | 'state'> & { readonly accountId: string | null },
): Promise<Page<ChannelTraffic>> {
  const limit = Math.min(limitOf(request), MOST_TRAFFIC);
  const page = await channelIds(directory, { ...request, limit, owner: accountId ?? undefined });
  const ids = page.items;
  if (ids.length === 0) return { ...page, items: [] };
  const spans = recentHours(nowMs);
  const [sums, latencies] = await Promise.all([
    usage.sum({
      accountIds: accountId === null ? null : [accountId],
      ...{ spans, groupBy: ['channelId'], channelIds: ids, tags: null, limit: ids.length * spans.length },
    }),
    requestLog.latencies({ spans, linesPerSpan: LATENCY_LINES, channelIds: ids, accountId }),
  ]);
  const sumsOf = Map.groupBy(sums, ({ channelId }) => channelId);
  const latencyOf = new Map(latencies.map((latency) => [latency.channelId, latency]));
  const items = ids.map((channelId) => ({
    ...{ channelId, spans },
    sums: sumsOf.get(channelId) ?? [],
    latency: latencyOf.get(channelId) ?? null,
  }));
  return { ...page, items };
}

/** Returns the current hour (UTC) up to the end of the current minute, after the hours before it. */
function recentHours(nowMs: number): readonly UsageSpan[] {
  const toMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  const lastMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return Array.from({ length: TRAFFIC_HOURS }, (_, place) => {
    const fromMs = lastMs - (TRAFFIC_HOURS - 1 - place) * HOUR_MS;
    return { fromMs, toMs: Math.min(fromMs + HOUR_MS, toMs) };
  });
}

/** Returns the traffic of a channel as JSON. */
export function channelTrafficView({ channelId, spans, sums, latency }: ChannelTraffic) {
  const requests = new Array<number>(spans.length).fill(0);
  const errors = new Array<number>(spans.length).fill(0);
  let costNanoUsd = 0n;
  for (const sum of sums) {
    requests[sum.span] = sum.requests;
    errors[sum.span] = sum.errors;
    costNanoUsd += sum.costNanoUsd;
  }
  return {
    channel: channelId,
    from: isoTime(spans[0]?.fromMs ?? 0),
    to: isoTime(spans.at(-1)?.toMs ?? 0),
    requests: total(requests),
    errors: total(errors),
    cost_usd: formatNanoUsd(costNanoUsd),
    latency_p95_ms: latency && Math.round(latency.latencyMs),
    first_byte_p95_ms: latency?.firstByteMs == null ? null : Math.round(latency.firstByteMs),
    latency_samples: latency?.samples ?? 0,
    requests_by_hour: requests,
    errors_by_hour: errors,
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
