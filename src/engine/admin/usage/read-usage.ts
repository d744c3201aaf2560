import type { DirectoryStore } from '../../ports/directory-store.ts';
import type {
  UsageDimension,
  UsageMeasures,
  UsageQuery,
  UsageSpan,
  UsageStore,
  UsageSum,
} from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import { cursorOf, limitOf, placeAfter } from '../page.ts';
import { isoTime } from '../view-fields.ts';
import { detailedView, measuresView, minus, total } from './usage-measures.ts';
import {
  dimensionOf,
  filtersOf,
  isTagGroup,
  namedGroups,
  refuseWithoutAccount,
  tagsOf,
  type UsageRow,
  usageIdsView,
  usageRowOf,
  type WantedUsage,
  withRest,
} from './usage-query.ts';
import { MOST_ROWS, refuseForgotten, tooManyRows, type UsageBucket, usageSpans, widened } from './usage-spans.ts';

interface WantedSums extends WantedUsage {
  /** Whether the sums have percentiles of the latency. */
  readonly percentiles?: boolean | undefined;
}

interface SummedUsage {
  readonly rows: readonly UsageRow[];
  /** The sums over all rows. */
  readonly total: UsageMeasures;
  /** The `after` of the next page if there are more accounts. */
  readonly next: string | null;
}

interface UsagePorts {
  readonly usage: UsageStore;
  readonly directory: Pick<DirectoryStore, 'accounts'>;
}

/** Resolves to the sums of usage over a time on whole minutes, exact at this moment. Throws `AdminError`. */
export async function sumUsage({ usage, directory }: UsagePorts, asked: WantedSums): Promise<SummedUsage> {
  const wanted = { ...asked, groupBy: namedGroups(asked.groupBy ?? []) };
  const { bucket = 'none', timeZone = 'UTC', groupBy, kept } = wanted;
  const { fromMs, toMs } = widened(wanted, kept);
  const spans = usageSpans({ fromMs, toMs, bucket, timeZone });
  refuseForgotten(spans, kept);
  const dimensions = groupBy.filter((group) => !isTagGroup(group)).map(dimensionOf);
  const tags = tagsOf(wanted);
  refuseWithoutAccount(wanted);
  const accounts = await accountsOf(directory, wanted);
  const isByTag = tags !== null && 'key' in tags;
  const query: UsageQuery = {
    ...{
      accountIds: accounts.ids,
      spans,
      groupBy: isByTag ? [...dimensions, 'tag'] : dimensions,
      tags,
      limit: MOST_ROWS,
    },
    ...(wanted.percentiles === true && { withLatencies: true }),
    ...filtersOf(wanted),
  };
  const sums = await usage.sum(query);
  if (sums.length > MOST_ROWS) throw tooManyRows('group_by');
  const told = isByTag ? withRest(sums, dimensions) : sums;
  const rows = told.map((sum) => usageRowOf(sum, query.spans));
  return { rows, total: total(rows), next: accounts.next };
}

async function accountsOf(directory: UsagePorts['directory'], wanted: WantedUsage) {
  if (wanted.accountId !== null) return { ids: [wanted.accountId], next: null };
  if (wanted.groupBy?.includes('account') !== true) return { ids: null, next: null };
  const limit = limitOf(wanted);
  const [after = null] = placeAfter(wanted, 1) ?? [];
  const found = await directory.accounts({ after, limit: limit + 1 });
  const ids = found.slice(0, limit).map(({ id }) => id);
  const last = ids.at(-1);
  return { ids, next: found.length > limit && last !== undefined ? cursorOf([last]) : null };
}

interface WantedOverview extends Omit<WantedUsage, 'groupBy' | 'after' | 'limit'> {
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

interface UsageOverview {
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
    { ...of, spans: [previousSpan, span], groupBy: [], limit: 2, withLatencies: true },
    { ...of, spans: series, groupBy: [], limit: series.length, withLatencies: true },
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

/** Returns sums as JSON. Amounts are exact decimals in USD as text. */
export function usageView({ rows, total }: Pick<SummedUsage, 'rows' | 'total'>) {
  return { data: rows.map(usageRowView), total: sumsView(total) };
}

/** Returns sums as JSON, with percentiles if they were read. */
function sumsView(of: UsageMeasures) {
  return of.latencies === undefined ? measuresView(of) : detailedView(of);
}

/** Returns a row as JSON. */
export function usageRowView(row: UsageRow) {
  return { from: isoTime(row.fromMs), to: isoTime(row.toMs), ...usageIdsView(row), ...sumsView(row) };
}

/** Returns the groups of one span, each with its id. The caller states the span. */
export function rankedView<Id>({ rows, others }: Ranked, idView: (row: UsageRow) => Id) {
  return {
    data: rows.map((row) => ({ ...idView(row), ...measuresView(row) })),
    others: others && measuresView(others),
  };
}

export const modelIdView = ({ model }: UsageRow) => ({ model: model || null });
export const keyIdView = ({ key }: UsageRow) => ({ key: key || null });

export function overviewView(overview: UsageOverview) {
  const { span, previousSpan, keys, accounts, errors } = overview;
  return {
    from: isoTime(span.fromMs),
    to: isoTime(span.toMs),
    total: detailedView(overview.total),
    previous: {
      ...{ from: isoTime(previousSpan.fromMs), to: isoTime(previousSpan.toMs) },
      ...detailedView(overview.previous),
    },
    series: overview.series.map((row) => ({ ...usageRowView(row), ...detailedView(row) })),
    models: rankedView(overview.models, modelIdView),
    keys: keys && rankedView(keys, keyIdView),
    accounts: accounts && rankedView(accounts, ({ account = '' }) => ({ account })),
    channels: rankedView(overview.channels, ({ channel }) => ({ channel: channel || null })),
    errors: errors.map(({ status = 0, errors: count }) => ({ status: status || null, errors: count })),
  };
}
