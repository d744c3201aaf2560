import { END_USER_KEY, isTag, isTagKey } from '../../../domain/usage/request-tags.ts';
import {
  NO_MEASURES,
  type UsageDimension,
  type UsageMeasures,
  type UsageQuery,
  type UsageSum,
} from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import type { PageRequest } from '../page.ts';
import { minus, plus } from './usage-measures.ts';
import type { KeptSums, UsageBucket } from './usage-spans.ts';

export interface WantedUsage extends PageRequest {
  /** The account; `null` for all accounts together. With usage grouped by `account`, `after` and `limit` page through the accounts. */
  readonly accountId: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly kept: KeptSums;
  readonly bucket?: UsageBucket | undefined;
  readonly timeZone?: string | undefined;
  /** Any of `account`, `key`, `model`, `channel` and `status`, and at most one of `end_user` and `tag:` with the key of a tag. */
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

const GROUPS: Readonly<Record<string, UsageDimension>> = {
  account: 'accountId',
  key: 'keyId',
  model: 'modelId',
  channel: 'channelId',
  status: 'status',
};
const TAG_GROUP = 'tag:';
/** The group of a tag that the gateway sets itself. */
const END_USER_GROUP = 'end_user';

/** Returns groups with `end_user` as the group of its tag. */
export function namedGroups(groupBy: readonly string[]): readonly string[] {
  return groupBy.map((group) => (group === END_USER_GROUP ? `${TAG_GROUP}${END_USER_KEY}` : group));
}

export function isTagGroup(group: string): boolean {
  return group.startsWith(TAG_GROUP);
}

export function dimensionOf(group: string): UsageDimension {
  const dimension = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (dimension !== undefined) return dimension;
  const known = [...Object.keys(GROUPS), END_USER_GROUP, `${TAG_GROUP}<key>`].join(', ');
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

/**
 * Returns the sums, with each sum over all requests replaced by that of the requests without a tag of the key. A request has a key at most
 * once.
 */
export function withRest(sums: readonly UsageSum[], dimensions: readonly UsageDimension[]): UsageSum[] {
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

/** Returns the ids of a row as JSON. Those that a request did not have are `null`, such as the channel of a request that was sent to none. */
export function usageIdsView({ account, key, model, channel, status, tagValue }: UsageRow) {
  return {
    ...(account !== undefined && { account }),
    ...(key !== undefined && { key: key || null }),
    ...(model !== undefined && { model: model || null }),
    ...(channel !== undefined && { channel: channel || null }),
    ...(status !== undefined && { status: status || null }),
    ...(tagValue !== undefined && { tag: tagValue }),
  };
}
