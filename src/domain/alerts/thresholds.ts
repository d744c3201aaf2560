import type { Verdict } from './alert-state.ts';

/** A balance has recovered when it is a twentieth above the threshold. */
const BALANCE_MARGIN = 20n;

export function balanceVerdict(balanceNanoUsd: bigint, thresholdNanoUsd: bigint): Verdict {
  if (balanceNanoUsd < thresholdNanoUsd) return 'over';
  return balanceNanoUsd * BALANCE_MARGIN >= thresholdNanoUsd * (BALANCE_MARGIN + 1n) ? 'under' : 'between';
}

/** Returns the verdict on spending, which only grows, so there is no margin: only a changed limit resolves the alert. */
export function spentVerdict(spentNanoUsd: bigint, limitNanoUsd: bigint, percent: number): Verdict {
  return spentNanoUsd * 100n >= limitNanoUsd * BigInt(percent) ? 'over' : 'under';
}

/** Returns a percentage with two decimals, rounded down; of a zero limit everything is spent. */
export function percentSpent(spentNanoUsd: bigint, limitNanoUsd: bigint): number {
  if (limitNanoUsd === 0n) return 100;
  const hundredths = (spentNanoUsd * 10_000n) / limitNanoUsd;
  return Number(hundredths) / 100;
}

export interface CountedRequests {
  /** Requests without those whose failure is the client's own. */
  readonly requests: number;
  readonly errors: number;
}

/** Returns `under` below nine tenths of the threshold, or with less than half of the required requests. */
export function errorRateVerdict(
  { requests, errors }: CountedRequests,
  { percent, minimumRequests }: { readonly percent: number; readonly minimumRequests: number },
): Verdict {
  if (requests * 2 < minimumRequests || requests === 0 || errors * 1_000 < requests * percent * 9) return 'under';
  return requests >= minimumRequests && errors * 100 >= requests * percent ? 'over' : 'between';
}

/** Returns a percentage with two decimals. */
export function errorPercent({ requests, errors }: CountedRequests): number {
  return requests === 0 ? 0 : Math.round((errors * 10_000) / requests) / 100;
}

/**
 * Returns how a request with this status counts: failures of the upstream or the gateway, including streams that broke off after
 * their 200, as errors; requests with a client's own error, or that the client abandoned, not at all.
 */
export function countedAs({
  status,
  requests,
  errors,
}: CountedRequests & { readonly status: number }): CountedRequests {
  return status >= 400 && status < 500 ? { requests: 0, errors: 0 } : { requests, errors };
}
