import {
  NO_MEASURES,
  type UsageDimension,
  type UsageMeasures,
  type UsageQuery,
  type UsageSpan,
  type UsageStore,
  type UsageSum,
} from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../view-fields.ts';
import { detailedView, minus, total } from './usage-measures.ts';
import { type BreakdownMetric, largest, METRICS, type MetricValue, metricValue } from './usage-metrics.ts';
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

/*
 * A first read chooses the groups, and a second one sums them, all from one moment. So groups can be ranked by any metric, the result has
 * a bounded number of rows, and the others are exact: everything less the groups that have a row.
 */

/** The number of groups that are ranked: those with the most of the metric's measure. */
const MOST_GROUPS = 1_000;
/** The number of accounts that are ranked, since each is summed by itself. */
const MOST_ACCOUNTS = 200;

export interface WantedBreakdown extends Omit<WantedUsage, 'after' | 'limit'> {
  readonly bucket: UsageBucket;
  readonly timeZone: string;
  /** One or two groups. */
  readonly groupBy: readonly string[];
  /** The metric of the series. */
  readonly metric: BreakdownMetric;
  /** The metric by which the groups are chosen and sorted. */
  readonly rankBy: BreakdownMetric;
  /** The number of groups that get a row of their own. */
  readonly top: number;
  /** The same for the second group, within each of the first. */
  readonly topWithin: number;
}

interface Rows {
  readonly rows: readonly UsageRow[];
  /** The sums of the others; `null` if there are none. */
  readonly others: UsageMeasures | null;
}

export interface UsageBreakdown {
  readonly span: UsageSpan;
  readonly total: UsageMeasures;
  readonly groups: readonly { readonly row: UsageRow; readonly within: Rows | null }[];
  readonly others: UsageMeasures | null;
  /** The metric in each part of the time. */
  readonly series: readonly {
    readonly span: UsageSpan;
    readonly total: MetricValue;
    /** In the order of the groups; `null` for requests without the tag, which count as others here. */
    readonly values: readonly MetricValue[];
    readonly others: MetricValue;
  }[];
}

/** The accounts, tags and filters of a query. */
type Base = Omit<UsageQuery, 'spans' | 'groupBy' | 'limit'>;

interface Group {
  readonly dimension: UsageDimension;
  /** The tags to read for this group. */
  readonly tags: UsageQuery['tags'];
  /** Whether it divides the sums over all accounts. */
  readonly isOfAll: boolean;
}

/** Resolves to the usage of a time by one or two groups. Throws `AdminError`. */
export async function breakDownUsage(usage: UsageStore, asked: WantedBreakdown): Promise<UsageBreakdown> {
  const wanted = { ...asked, groupBy: namedGroups(asked.groupBy) };
  const { kept, metric, rankBy, top } = wanted;
  const span = widened({ fromMs: wanted.fromMs, toMs: wanted.toMs }, kept);
  const spans = usageSpans({ ...span, bucket: wanted.bucket, timeZone: wanted.timeZone });
  refuseForgotten(spans, kept);
  if (spans.length * (top + 1) > MOST_ROWS) throw tooManyRows('bucket');
  refuseGroups(wanted, span);
  const base: Base = {
    accountIds: wanted.accountId === null ? null : [wanted.accountId],
    ...{ tags: tagsOf({ ...wanted, groupBy: [] }), ...filtersOf(wanted) },
  };
  const [first, second] = wanted.groupBy.map((name) => groupOf(name, wanted));
  if (first === undefined) throw new AdminError('invalid_value', 'group_by', 'is missing');

  const ranked = { spans: [span], dearestFirst: true, rankedBy: METRICS[rankBy].rankedBy, withLatencies: true };
  const found = largest(await groupsIn(usage, { ...base, ...ranked }, first), rankBy, top);
  const narrow = narrowed(base, first, found);
  const pairs = second && (await pairsIn(usage, narrow, ranked, [first, second]));

  const withLatencies = METRICS[metric].isPercentile === true;
  const [totals = [], groups = [], parts = [], groupParts = [], pairSums = []] = await usage.sums([
    { ...base, spans: [span], groupBy: [], limit: 1, withLatencies: true },
    { ...narrow, ...ranked, tags: first.tags, groupBy: [first.dimension], limit: MOST_GROUPS },
    { ...base, spans, groupBy: [], limit: spans.length, withLatencies },
    { ...narrow, ...among(first, found), spans, groupBy: [first.dimension], limit: MOST_ROWS, withLatencies },
    ...(pairs === undefined ? [] : [pairs]),
  ]);
  const sum = total(totals);
  const rows = largest(told(groups, [first], MOST_GROUPS).filter(isAmong(found, first)), rankBy, top);
  const wholeAt = new Map(parts.map((part) => [part.span, part]));
  const partAt = new Map(groupParts.map((part) => [`${part.span} ${part[first.dimension]}`, part]));
  const pairsTold = second && told(pairSums, [first, second], MOST_ROWS);
  return {
    ...{ span, total: sum, others: remainder(sum, rows) },
    groups: rows.map((row) => ({
      row: usageRowOf(row, [span]),
      within: pairsTold === undefined ? null : withinOf(row, pairsTold.filter(isAmong([row], first)), wanted, span),
    })),
    series: spans.map((part, place) => {
      const whole = wholeAt.get(place) ?? NO_MEASURES;
      const ofGroups = rows.map((row) =>
        isUntagged(row, first) ? null : (partAt.get(`${place} ${row[first.dimension]}`) ?? NO_MEASURES),
      );
      const known = ofGroups.filter((one) => one !== null);
      return {
        ...{ span: part, total: metricValue(metric, whole) },
        values: ofGroups.map((one) => (one === null ? null : metricValue(metric, one))),
        others: metricValue(metric, minus(whole, total(known))),
      };
    }),
  };
}

/** Throws `AdminError` for groups that cannot be told apart. */
function refuseGroups(wanted: WantedBreakdown, { fromMs }: UsageSpan): void {
  const { groupBy, accountId, kept, tag, key } = wanted;
  if (groupBy.length === 0 || groupBy.length > 2)
    throw new AdminError('invalid_value', 'group_by', 'must list one group, or two separated by a comma');
  tagsOf(wanted);
  refuseWithoutAccount(wanted);
  if (accountId !== null || !groupBy.includes('account')) return;
  const [first = '', second] = groupBy;
  const isDivided = second === 'account' && (first === 'key' || isTagGroup(first));
  if (tag !== undefined || key !== undefined || isDivided)
    throw new AdminError('invalid_value', 'account_id', 'must name an account to get usage by key or tag');
  if (fromMs >= kept.ranksFromMs) return;
  const problem = `is too early to rank accounts, whose daily costs are kept from ${isoTime(kept.ranksFromMs)} on`;
  throw new AdminError('invalid_value', 'from', `${problem} (retention.ranking_days)`);
}

function groupOf(name: string, wanted: WantedBreakdown): Group {
  const isTag = isTagGroup(name);
  return {
    dimension: isTag ? 'tag' : dimensionOf(name),
    tags: tagsOf({ ...wanted, groupBy: isTag ? [name] : [] }),
    isOfAll: name === 'account' && wanted.accountId === null,
  };
}

/** Resolves to the groups from which those with rows are chosen. */
async function groupsIn(usage: UsageStore, query: Base & Pick<UsageQuery, 'spans'>, group: Group) {
  const limit = group.isOfAll ? MOST_ACCOUNTS : MOST_GROUPS;
  const every = { accountIds: 'every', rankedBy: 'costNanoUsd' } as const;
  const sums = await usage.sum({
    ...{ ...query, tags: group.tags, groupBy: [group.dimension], limit },
    ...(group.isOfAll && every),
  });
  return told(sums, [group], limit);
}

/** Resolves to the query for both groups. */
async function pairsIn(
  usage: UsageStore,
  narrow: Base,
  ranked: Pick<UsageQuery, 'spans'>,
  [first, second]: readonly [Group, Group],
): Promise<UsageQuery> {
  const accounts = second.isOfAll ? await groupsIn(usage, { ...narrow, ...ranked }, second) : null;
  return {
    ...{ ...narrow, ...ranked, groupBy: [first.dimension, second.dimension], limit: MOST_ROWS },
    tags: second.dimension === 'tag' ? second.tags : first.tags,
    ...(accounts && { accountIds: accounts.map(({ accountId = '' }) => accountId) }),
  };
}

const FILTERS = {
  accountId: 'accountIds',
  keyId: 'keyIds',
  modelId: 'modelIds',
  channelId: 'channelIds',
  status: 'statuses',
} as const;

/** Restricts a query to these groups. Those of a tag are restricted by `among`. */
function narrowed(base: Base, { dimension }: Group, found: readonly UsageSum[]): Base {
  return dimension === 'tag' ? base : { ...base, [FILTERS[dimension]]: found.map((sum) => sum[dimension]) };
}

function among({ dimension, tags }: Group, found: readonly UsageSum[]): Pick<UsageQuery, 'tags'> {
  if (dimension !== 'tag') return { tags };
  return { tags: { among: found.flatMap(({ tag = '' }) => (tag === '' ? [] : [tag])) } };
}

/** Returns the sums without those of all requests, whose remainder is that of requests without the tag unless the limit has cut some off. */
function told(sums: readonly UsageSum[], groups: readonly Group[], limit: number): readonly UsageSum[] {
  const others = groups.flatMap(({ dimension }) => (dimension === 'tag' ? [] : [dimension]));
  if (others.length === groups.length) return sums.slice(0, limit);
  return sums.length > limit ? sums.slice(0, limit).filter(({ tag }) => tag !== '') : withRest(sums, others);
}

function isAmong(found: readonly UsageSum[], { dimension }: Group): (sum: UsageSum) => boolean {
  const names = new Set(found.map((sum) => sum[dimension]));
  return (sum) => names.has(sum[dimension]);
}

function isUntagged(row: UsageSum, { dimension }: Group): boolean {
  return dimension === 'tag' && row.tag === '';
}

function withinOf(row: UsageSum, pairs: readonly UsageSum[], wanted: WantedBreakdown, span: UsageSpan): Rows {
  const rows = largest(pairs, wanted.rankBy, wanted.topWithin);
  return { rows: rows.map((one) => usageRowOf(one, [span])), others: remainder(row, rows) };
}

function remainder(all: UsageMeasures, rows: readonly UsageMeasures[]): UsageMeasures | null {
  const rest = minus(all, total(rows));
  return rest.requests === 0 && rest.costNanoUsd === 0n ? null : rest;
}

export function breakdownView({ span, total: all, groups, others, series }: UsageBreakdown) {
  const rowView = (row: UsageRow) => ({ ...usageIdsView(row), ...detailedView(row) });
  return {
    ...{ from: isoTime(span.fromMs), to: isoTime(span.toMs), total: detailedView(all) },
    data: groups.map(({ row, within }) => ({
      ...rowView(row),
      within: within && { data: within.rows.map(rowView), others: within.others && detailedView(within.others) },
    })),
    others: others && detailedView(others),
    series: series.map(({ span: part, ...values }) => ({
      from: isoTime(part.fromMs),
      to: isoTime(part.toMs),
      ...values,
    })),
  };
}
