import type {
  UsageDimension,
  UsageMeasures,
  UsageQuery,
  UsageSpan,
  UsageStore,
  UsageSum,
} from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import {
  filtersOf,
  minus,
  refuseWithoutAccount,
  tagsOf,
  total,
  type UsageRow,
  usageRowOf,
  type WantedUsage,
} from './sum-usage.ts';
import { refuseForgotten, type UsageBucket, usageSpans, widened } from './usage-spans.ts';

export interface WantedOverview extends Omit<WantedUsage, 'groupBy' | 'after' | 'limit'> {
  readonly bucket: UsageBucket;
  readonly timeZone: string;
  /** How many models, keys, channels and accounts are told apart. */
  readonly top: number;
}

/** The dearest of the groups, and what the others come to together. */
export interface Ranked {
  readonly rows: readonly UsageRow[];
  /** `null` where all are among the rows. */
  readonly others: UsageMeasures | null;
}

export interface UsageOverview {
  readonly span: UsageSpan;
  readonly total: UsageMeasures;
  /** As long, and just before. */
  readonly previousSpan: UsageSpan;
  readonly previous: UsageMeasures;
  /** Parts without usage are missing. */
  readonly series: readonly UsageRow[];
  readonly models: Ranked;
  readonly channels: Ranked;
  /** `null` for all accounts together: their sums have no keys. */
  readonly keys: Ranked | null;
  /** `null` for one account, and for a time whose dearest accounts cannot be found any more. */
  readonly accounts: Ranked | null;
  /** Those statuses that failed requests have, the most frequent first. */
  readonly errors: readonly UsageRow[];
}

/** HTTP has fewer statuses. */
const MOST_STATUSES = 600;

/** What a page shows of a time, all of one moment. Throws `AdminError`. */
export async function usageOverview(usage: Pick<UsageStore, 'sums'>, wanted: WantedOverview): Promise<UsageOverview> {
  const { accountId, bucket, timeZone, top, kept } = wanted;
  const { fromMs, toMs } = widened(wanted, kept);
  const series = usageSpans({ fromMs, toMs, bucket, timeZone });
  refuseForgotten(series, kept);
  refuseWithoutAccount(wanted);
  const span = { fromMs, toMs };
  const previousSpan = {
    fromMs: widened({ fromMs: fromMs - (toMs - fromMs), toMs: fromMs }, kept).fromMs,
    toMs: fromMs,
  };
  if (previousSpan.fromMs < 0) throw new AdminError('invalid_value', 'from', 'is too early for a time before it');
  const of = { accountIds: accountId === null ? null : [accountId], tags: tagsOf(wanted), ...filtersOf(wanted) };
  const by = (dimension: UsageDimension): UsageQuery => ({
    ...{ ...of, spans: [span], groupBy: [dimension], limit: top, dearestFirst: true },
  });
  const isRanked = accountId === null && fromMs >= kept.ranksFromMs;
  const [totals = [], parts = [], models = [], channels = [], statuses = [], owners = []] = await usage.sums([
    { ...of, spans: [previousSpan, span], groupBy: [], limit: 2 },
    { ...of, spans: series, groupBy: [], limit: series.length },
    by('modelId'),
    by('channelId'),
    { ...by('status'), limit: MOST_STATUSES },
    ...(accountId !== null ? [by('keyId')] : isRanked ? [{ ...by('accountId'), accountIds: 'every' as const }] : []),
  ]);
  const all = total(totals.filter((sum) => sum.span === 1));
  const rankOf = (sums: readonly UsageSum[]) => ranked(sums, all, [span], top);
  return {
    ...{ span, total: all, previousSpan },
    previous: total(totals.filter((sum) => sum.span === 0)),
    series: parts.map((sum) => usageRowOf(sum, series)),
    models: rankOf(models),
    channels: rankOf(channels),
    keys: accountId === null ? null : rankOf(owners),
    accounts: isRanked ? rankOf(owners) : null,
    errors: statuses
      .filter(({ errors }) => errors > 0)
      .toSorted((a, b) => b.errors - a.errors)
      .map((sum) => usageRowOf(sum, [span])),
  };
}

/** @param sums the dearest first, one more than `most` where there are more */
export function ranked(
  sums: readonly UsageSum[],
  all: UsageMeasures,
  spans: readonly UsageSpan[],
  most: number,
): Ranked {
  const rows = sums.slice(0, most).map((sum) => usageRowOf(sum, spans));
  return { rows, others: sums.length > most ? minus(all, total(rows)) : null };
}
