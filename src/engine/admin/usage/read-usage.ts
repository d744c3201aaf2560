import { isTag, isTagKey } from '../../../domain/usage/request-tags.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import {
  NO_MEASURES,
  type UsageDimension,
  type UsageMeasures,
  type UsageQuery,
  type UsageStore,
  type UsageSum,
} from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import { cursorOf, limitOf, type PageRequest, placeAfter } from '../page.ts';
import {
  type KeptSums,
  MOST_ROWS,
  refuseForgotten,
  tooManyRows,
  type UsageBucket,
  usageSpans,
  widened,
} from './usage-spans.ts';

export interface WantedUsage extends PageRequest {
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

export interface SummedUsage {
  readonly rows: readonly UsageRow[];
  /** The sums over all rows. */
  readonly total: UsageMeasures;
  /** The `after` of the next page if there are more accounts. */
  readonly next: string | null;
}

export interface UsagePorts {
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

export function filtersOf({ key, model, channel, status }: WantedUsage) {
  return {
    ...(key !== undefined && { keyIds: [key] }),
    ...(model !== undefined && { modelIds: [model] }),
    ...(channel !== undefined && { channelIds: [channel] }),
    ...(status !== undefined && { statuses: [status] }),
  };
}

/** Returns the part of the query that concerns tags. Throws `AdminError`. */
export function tagsOf({ groupBy = [], tag }: WantedUsage): UsageQuery['tags'] {
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
export function refuseWithoutAccount({ accountId, groupBy = [], key, tag }: WantedUsage): void {
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

export function minus(one: UsageMeasures, other: UsageMeasures): UsageMeasures {
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
  };
}
