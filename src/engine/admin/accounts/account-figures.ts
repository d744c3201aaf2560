import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Store } from '../../ports/store.ts';
import { NO_MEASURES, type UsageMeasures } from '../../ports/usage-store.ts';
import { recentDays } from '../usage/recent-spans.ts';
import { timeOrNull } from '../view-fields.ts';

/** An account's figures in a list: its keys and members, its activity, and its spending in the last 30 days. */
interface AccountFigures {
  /** Unrevoked keys, at most `MOST_COUNTED`. */
  readonly keys: number;
  readonly members: number;
  /** When one of its keys was last used, in milliseconds since 1970; `null` for never. */
  readonly lastActiveAtMs: number | null;
  readonly spent: UsageMeasures;
}

export const MOST_COUNTED = 1_000;
/** The days whose spending a list of accounts shows. */
export const SPENDING_DAYS = 30;

/** Reads the figures of accounts, with four reads regardless of their number. */
export async function accountFigures(
  { directory, people, usage, lists }: Pick<Store, 'directory' | 'people' | 'usage' | 'lists'>,
  accountIds: readonly string[],
  nowMs: number,
): Promise<(accountId: string) => AccountFigures> {
  const spans = [recentDays(SPENDING_DAYS, nowMs)];
  const [keys, members, active, sums] = await Promise.all([
    directory.countKeys(accountIds, MOST_COUNTED),
    people.countMembers(accountIds),
    lists.accountsActive(accountIds),
    usage.sum({ accountIds, spans, groupBy: ['accountId'], tags: null, limit: accountIds.length }),
  ]);
  const spent = new Map(sums.map((sum) => [sum.accountId, sum]));
  return (id) => ({
    keys: keys.get(id) ?? 0,
    members: members.get(id) ?? 0,
    lastActiveAtMs: active.get(id) ?? null,
    spent: spent.get(id) ?? NO_MEASURES,
  });
}

/** Returns figures as JSON. The upstream cost and the margin are `null` while the cost of any request is unknown. */
export function figuresView({ keys, members, lastActiveAtMs, spent }: AccountFigures) {
  const { costNanoUsd, upstreamCostNanoUsd, requests, costedRequests } = spent;
  const uncosted = Math.max(0, requests - costedRequests);
  return {
    keys,
    members,
    last_active_at: timeOrNull(lastActiveAtMs),
    spent_30d_usd: formatNanoUsd(costNanoUsd),
    upstream_cost_30d_usd: uncosted > 0 ? null : formatNanoUsd(upstreamCostNanoUsd),
    margin_30d_usd: uncosted > 0 ? null : formatNanoUsd(costNanoUsd - upstreamCostNanoUsd),
    uncosted_requests_30d: uncosted,
  };
}
