import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { isTag, isTagKey } from '../../../domain/usage/request-tags.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
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
import { cursorOf, limitOf, type PageRequest, placeAfter } from '../page.ts';
import { isoTime } from '../view-fields.ts';
import {
  type KeptSums,
  MOST_ROWS,
  refuseForgotten,
  tooManyRows,
  type UsageBucket,
  usageSpans,
  widened,
} from './usage-spans.ts';

interface WantedUsage extends PageRequest {
  /** The account; `null` for all accounts together. With usage grouped by `account`, `after` and `limit` page through the accounts. */
  readonly accountId: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly kept: KeptSums;
  readonly bucket?: UsageBucket | undefined;
  readonly timeZone?: string | undefined;
  /** Any of `account`, `key`, `model`, `channel` and `status`, and at most one `tag:` with the key of a tag. */
  readonly groupBy?: readonly string[] | undefined;
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly status?: number | undefined;
  /** A tag as `key=value`. */
  readonly tag?: string | undefined;
}

/** The sums of one group in one part of the time. */
export interface UsageRow extends UsageMeasures {
  readonly fromMs: number;
  readonly toMs: number;
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly channel?: string;
  readonly status?: number;
  /** The value of the tag; `null` for requests that have no tag with this key. */
  readonly tagValue?: string | null;
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

const GROUPS: Readonly<Record<string, UsageDimension>> = {
  account: 'accountId',
  key: 'keyId',
  model: 'modelId',
  channel: 'channelId',
  status: 'status',
};
const TAG_GROUP = 'tag:';

/** Resolves to the sums of usage over a time on whole minutes, exact at this moment. Throws `AdminError`. */
export async function sumUsage({ usage, directory }: UsagePorts, wanted: WantedUsage): Promise<SummedUsage> {
  const { bucket = 'none', timeZone = 'UTC', groupBy = [], kept } = wanted;
  const { fromMs, toMs } = widened(wanted, kept);
  const spans = usageSpans({ fromMs, toMs, bucket, timeZone });
  refuseForgotten(spans, kept);
  const dimensions = groupBy.filter((group) => !group.startsWith(TAG_GROUP)).map(dimensionOf);
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
    ...filtersOf(wanted),
  };
  const sums = await usage.sum(query);
  if (sums.length > MOST_ROWS) throw tooManyRows('group_by');
  const told = isByTag ? withRest(sums, dimensions) : sums;
  const rows = told.map((sum) => usageRowOf(sum, query.spans));
  return { rows, total: total(rows), next: accounts.next };
}

function dimensionOf(group: string): UsageDimension {
  const dimension = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (dimension !== undefined) return dimension;
  const known = [...Object.keys(GROUPS), `${TAG_GROUP}<key>`].join(', ');
  throw new AdminError('invalid_value', 'group_by', `must list ${known}, not "${group.slice(0, 80)}"`);
}

function filtersOf({ key, model, channel, status }: WantedUsage) {
  return {
    ...(key !== undefined && { keyIds: [key] }),
    ...(model !== undefined && { modelIds: [model] }),
    ...(channel !== undefined && { channelIds: [channel] }),
    ...(status !== undefined && { statuses: [status] }),
  };
}

/** Returns the part of the query that concerns tags. Throws `AdminError`. */
function tagsOf({ groupBy = [], tag }: WantedUsage): UsageQuery['tags'] {
  const [group, ...more] = groupBy.filter((one) => one.startsWith(TAG_GROUP));
  if (tag !== undefined && !isTag(tag)) {
    throw new AdminError('invalid_value', 'tag', 'must be the key and the value of a tag, such as team=search');
  }
  if (group === undefined) return tag === undefined ? null : { tag };
  if (tag !== undefined || more.length > 0) {
    const message = 'may name only one tag, and none with the filter "tag": usage is summed per tag';
    throw new AdminError('invalid_value', 'group_by', message);
  }
  const key = group.slice(TAG_GROUP.length);
  if (!isTagKey(key)) throw new AdminError('invalid_value', 'group_by', `"${key.slice(0, 80)}" is not a valid tag key`);
  return { key };
}

/** Throws `AdminError` for groups and filters that need one account, since the sums over all accounts have no keys and tags. */
function refuseWithoutAccount({ accountId, groupBy = [], key, tag }: WantedUsage): void {
  if (groupBy.length > new Set(groupBy).size) throw new AdminError('invalid_value', 'group_by', 'lists a group twice');
  if (accountId !== null || groupBy.includes('account')) return;
  const isNarrow =
    key !== undefined || tag !== undefined || groupBy.some((one) => one === 'key' || one.startsWith(TAG_GROUP));
  if (!isNarrow) return;
  throw new AdminError('invalid_value', 'account_id', 'must name an account to get usage by key or tag');
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

/**
 * Returns the sums, with each sum over all requests replaced by that of the requests without a tag of the key. A request has a key at most
 * once.
 */
function withRest(sums: readonly UsageSum[], dimensions: readonly UsageDimension[]): UsageSum[] {
  const groupOf = (sum: UsageSum) => JSON.stringify([sum.span, ...dimensions.map((dimension) => sum[dimension])]);
  const tagged = new Map<string, UsageMeasures>();
  for (const sum of sums)
    if (sum.tag !== '') tagged.set(groupOf(sum), plus(tagged.get(groupOf(sum)) ?? NO_MEASURES, sum));
  return sums.flatMap((sum) => {
    if (sum.tag !== '') return [sum];
    const rest = { ...sum, ...minus(sum, tagged.get(groupOf(sum)) ?? NO_MEASURES) };
    return rest.requests > 0 || rest.costNanoUsd !== 0n ? [rest] : [];
  });
}

export function usageRowOf(
  { span, accountId, keyId, modelId, channelId, status, tag, ...measures }: UsageSum,
  spans: UsageQuery['spans'],
): UsageRow {
  const { fromMs = 0, toMs = 0 } = spans[span] ?? {};
  return {
    ...{ fromMs, toMs, ...measures },
    ...(accountId !== undefined && { account: accountId }),
    ...(keyId !== undefined && { key: keyId }),
    ...(modelId !== undefined && { model: modelId }),
    ...(channelId !== undefined && { channel: channelId }),
    ...(status !== undefined && { status }),
    ...(tag !== undefined && { tagValue: tag === '' ? null : tag.slice(tag.indexOf('=') + 1) }),
  };
}

export function total(rows: readonly UsageMeasures[]): UsageMeasures {
  return rows.reduce<UsageMeasures>(plus, NO_MEASURES);
}

function plus(one: UsageMeasures, other: UsageMeasures): UsageMeasures {
  return combined(one, other, 1);
}

function minus(one: UsageMeasures, other: UsageMeasures): UsageMeasures {
  return combined(one, other, -1);
}

function combined(one: UsageMeasures, other: UsageMeasures, sign: 1 | -1): UsageMeasures {
  return {
    requests: one.requests + sign * other.requests,
    errors: one.errors + sign * other.errors,
    cacheHits: one.cacheHits + sign * other.cacheHits,
    inputTokens: one.inputTokens + sign * other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + sign * other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + sign * other.cacheWriteTokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    reasoningTokens: one.reasoningTokens + sign * other.reasoningTokens,
    latencyMsSum: one.latencyMsSum + sign * other.latencyMsSum,
    firstByteMsSum: one.firstByteMsSum + sign * other.firstByteMsSum,
    firstByteCount: one.firstByteCount + sign * other.firstByteCount,
    costNanoUsd: one.costNanoUsd + BigInt(sign) * other.costNanoUsd,
    savedNanoUsd: one.savedNanoUsd + BigInt(sign) * other.savedNanoUsd,
    upstreamCostNanoUsd: one.upstreamCostNanoUsd + BigInt(sign) * other.upstreamCostNanoUsd,
    costedRequests: one.costedRequests + sign * other.costedRequests,
  };
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

/** Returns sums as JSON. Amounts are exact decimals in USD as text. */
export function usageView({ rows, total }: Pick<SummedUsage, 'rows' | 'total'>) {
  return { data: rows.map(usageRowView), total: measuresView(total) };
}

/** Returns a row as JSON. Ids that a request did not have are `null`, such as the channel of a request that was sent to none. */
export function usageRowView({ fromMs, toMs, account, key, model, channel, status, tagValue, ...measures }: UsageRow) {
  return {
    ...{ from: isoTime(fromMs), to: isoTime(toMs) },
    ...(account !== undefined && { account }),
    ...(key !== undefined && { key: key || null }),
    ...(model !== undefined && { model: model || null }),
    ...(channel !== undefined && { channel: channel || null }),
    ...(status !== undefined && { status: status || null }),
    ...(tagValue !== undefined && { tag: tagValue }),
    ...measuresView(measures),
  };
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
    total: measuresView(overview.total),
    previous: {
      ...{ from: isoTime(previousSpan.fromMs), to: isoTime(previousSpan.toMs) },
      ...measuresView(overview.previous),
    },
    series: overview.series.map(usageRowView),
    models: rankedView(overview.models, modelIdView),
    keys: keys && rankedView(keys, keyIdView),
    accounts: accounts && rankedView(accounts, ({ account = '' }) => ({ account })),
    channels: rankedView(overview.channels, ({ channel }) => ({ channel: channel || null })),
    errors: errors.map(({ status = 0, errors: count }) => ({ status: status || null, errors: count })),
  };
}

export function measuresView(of: UsageMeasures) {
  return {
    requests: of.requests,
    errors: of.errors,
    cache_hits: of.cacheHits,
    input_tokens: of.inputTokens,
    cached_input_tokens: of.cachedInputTokens,
    cache_write_tokens: of.cacheWriteTokens,
    output_tokens: of.outputTokens,
    reasoning_tokens: of.reasoningTokens,
    latency_ms: average(of.latencyMsSum, of.requests),
    first_byte_ms: average(of.firstByteMsSum, of.firstByteCount),
    cost_usd: formatNanoUsd(of.costNanoUsd),
    saved_usd: formatNanoUsd(of.savedNanoUsd),
  };
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}
