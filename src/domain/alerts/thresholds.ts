import type { Verdict } from './alert-state.ts';

/** A balance is back when it is a twentieth above the threshold. */
const BALANCE_MARGIN = 20n;

export function balanceVerdict(balanceNanoUsd: bigint, thresholdNanoUsd: bigint): Verdict {
  if (balanceNanoUsd < thresholdNanoUsd) return 'over';
  return balanceNanoUsd * BALANCE_MARGIN >= thresholdNanoUsd * (BALANCE_MARGIN + 1n) ? 'under' : 'between';
}

/** What was spent only grows, so that there is no margin: only another limit brings it back. */
export function spentVerdict(spentNanoUsd: bigint, limitNanoUsd: bigint, percent: number): Verdict {
  return spentNanoUsd * 100n >= limitNanoUsd * BigInt(percent) ? 'over' : 'under';
}

/** With two decimals, rounded down; what is spent of nothing is all of it. */
export function percentSpent(spentNanoUsd: bigint, limitNanoUsd: bigint): number {
  if (limitNanoUsd === 0n) return 100;
  const hundredths = (spentNanoUsd * 10_000n) / limitNanoUsd;
  return Number(hundredths) / 100;
}

export interface CountedRequests {
  /** Without those whose failure is the client's own. */
  readonly requests: number;
  readonly errors: number;
}

/** It is back below nine tenths of the threshold, or where less than half of the requests that it needs have come. */
export function errorRateVerdict(
  { requests, errors }: CountedRequests,
  { percent, minimumRequests }: { readonly percent: number; readonly minimumRequests: number },
): Verdict {
  if (requests * 2 < minimumRequests || requests === 0 || errors * 1_000 < requests * percent * 9) return 'under';
  return requests >= minimumRequests && errors * 100 >= requests * percent ? 'over' : 'between';
}

/** With two decimals. */
export function errorPercent({ requests, errors }: CountedRequests): number {
  return requests === 0 ? 0 : Math.round((errors * 10_000) / requests) / 100;
}

/**
 * Whether a request of this status counts, and as what: failures of the upstream or the gateway, also of streams that broke off after
 * their 200, against all requests but those that the client itself got wrong, or left.
 */
export function countedAs({
  status,
  requests,
  errors,
}: CountedRequests & { readonly status: number }): CountedRequests {
  return status >= 400 && status < 500 ? { requests: 0, errors: 0 } : { requests, errors };
}
