import type { UsageSpan, UsageStore } from '../../ports/usage-store.ts';
import { type KeptSums, widened } from './usage-spans.ts';

/** The number of tags that are read: those with the most requests. */
const MOST_TAGS = 2_000;
/** The number of values per key that are listed. */
const MOST_VALUES = 50;

interface WantedTags extends UsageSpan {
  readonly accountId: string;
  readonly kept: KeptSums;
}

interface TagValueCount {
  readonly value: string;
  readonly requests: number;
}

export interface TagKeyCount {
  readonly key: string;
  readonly requests: number;
  /** Those with the most requests first. */
  readonly values: readonly TagValueCount[];
}

/** Resolves to the keys of the tags that an account's requests had in a time, those with the most requests first. */
export async function tagsUsed(
  usage: Pick<UsageStore, 'sum'>,
  { accountId, kept, ...range }: WantedTags,
): Promise<readonly TagKeyCount[]> {
  const sums = await usage.sum({
    ...{ accountIds: [accountId], spans: [widened(range, kept)], groupBy: ['tag'], tags: { every: true } },
    ...{ limit: MOST_TAGS, dearestFirst: true, rankedBy: 'requests' },
  });
  const keys = new Map<string, { key: string; requests: number; values: TagValueCount[] }>();
  for (const { tag = '', requests } of sums) {
    const at = tag.indexOf('=');
    const key = tag.slice(0, at);
    const known = keys.get(key) ?? { key, requests: 0, values: [] };
    known.requests += requests;
    if (known.values.length < MOST_VALUES) known.values.push({ value: tag.slice(at + 1), requests });
    keys.set(key, known);
  }
  return [...keys.values()].sort((one, other) => other.requests - one.requests);
}
