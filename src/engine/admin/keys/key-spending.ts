import type { KeyPlace } from '../../ports/key-use-store.ts';
import type { SortFigures } from '../../ports/list-store.ts';
import type { UsageStore } from '../../ports/usage-store.ts';
import { MOST_RANKED, recentDays } from '../usage/recent-spans.ts';

/** The days whose spending a list of keys shows. */
const DAYS = 7;

/** Resolves to the spending of an account's keys in the last seven days, the highest first. */
export async function keysBySpending(
  usage: Pick<UsageStore, 'sum'>,
  accountId: string,
  nowMs: number,
): Promise<SortFigures['figures']> {
  const sums = await usage.sum({
    accountIds: [accountId],
    spans: [recentDays(DAYS, nowMs)],
    groupBy: ['keyId'],
    tags: null,
    limit: MOST_RANKED,
    dearestFirst: true,
  });
  return sums.flatMap(({ keyId = '', costNanoUsd }) =>
    keyId === '' || costNanoUsd <= 0n ? [] : [{ id: keyId, amount: costNanoUsd }],
  );
}

/** Resolves to a function that returns the spending of each of these keys in the last seven days, in nano-USD. */
export async function recentSpending(
  usage: Pick<UsageStore, 'sum'>,
  keys: readonly KeyPlace[],
  nowMs: number,
): Promise<(key: KeyPlace) => bigint> {
  const nameOf = ({ accountId, keyId }: KeyPlace) => JSON.stringify([accountId, keyId]);
  if (keys.length === 0) return () => 0n;
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
  const keyIds = [...new Set(keys.map(({ keyId }) => keyId))];
  const sums = await usage.sum({
    accountIds,
    keyIds,
    spans: [recentDays(DAYS, nowMs)],
    groupBy: ['accountId', 'keyId'],
    tags: null,
    // An account may have a key with the id of another account's key.
    limit: accountIds.length * keyIds.length,
  });
  const spent = new Map(
    sums.map(({ accountId = '', keyId = '', costNanoUsd }) => [nameOf({ accountId, keyId }), costNanoUsd]),
  );
  return (key) => spent.get(nameOf(key)) ?? 0n;
}
