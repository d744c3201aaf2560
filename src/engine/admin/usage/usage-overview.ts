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
} from './read-usage.ts';
import { refuseForgotten, type UsageBucket, usageSpans, widened } from './usage-spans.ts';

export interface WantedOverview extends Omit<WantedUsage, 'groupBy' | 'after' | 'limit'> {
  readonly bucket: UsageBucket;
  readonly timeZone: string;
  /** The number of models, keys, channels and accounts that get a row of their own. */
  readonly top: number;
}

/** The most expensive groups, and the sums of the others together. */
export interface Ranked {
  readonly rows: readonly UsageRow[];
  /** The sums of the others; `null` if all groups have rows. */
  readonly others: UsageMeasures | null;
}

export interface UsageOverview {
  readonly span: UsageSpan;
  readonly total: UsageMeasures;
  /** The span of the same length that ends where this one starts. */
  readonly previousSpan: UsageSpan;
  readonly previous: UsageMeasures;
  /** The usage of each part of the time; parts without usage are absent. */
  readonly series: readonly UsageRow[];
  readonly models: Ranked;
  readonly channels: Ranked;
  /** The keys; `null` for all accounts together, whose sums have no keys. */
  readonly keys: Ranked | null;
  /** The accounts; `null` for one account, and for a time whose most expensive accounts cannot be found any more. */
  readonly accounts: Ranked | null;
  /** The statuses of failed requests, most frequent first. */
  readonly errors: readonly UsageRow[];
}

/** HTTP has fewer statuses than this. */
const MOST_STATUSES = 600;

/** Resolves to the usage in a span for a page, all from one moment. Throws `AdminError`. */
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
  if (previousSpan.fromMs < 0)
    throw new AdminError('invalid_value', 'from', 'is too early: no period of the same length precedes it');
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

/**
 * Returns the most expensive groups, and the sums of the others.
 *
 * @param sums the most expensive first; one more than `most` if there are more
 */
export function ranked(
  sums: readonly UsageSum[],
  all: UsageMeasures,
  spans: readonly UsageSpan[],
  most: number,
): Ranked {
  const rows = sums.slice(0, most).map((sum) => usageRowOf(sum, spans));
  return { rows, others: sums.length > most ? minus(all, total(rows)) : null };
}
