import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { AskedTarget } from '../directory/target.ts';

interface CachedAnswer {
  readonly atMs: number;
  /** The prices of the model; `null` if it has none. */
  readonly hitPrices: PriceSheet | null;
  readonly billable: Billable | null;
  readonly costNanoUsd: bigint | null;
  readonly asked: AskedTarget | null;
}

/** Returns the cost without the cache, less the actual cost. What an account pays its own providers is unknown. */
export function savedByCache({ atMs, hitPrices, billable, costNanoUsd, asked }: CachedAnswer): bigint {
  if (hitPrices === null || billable === null || costNanoUsd === null || asked?.isPrivate === true) return 0n;
  return hitPrices.costNanoUsd(billable, atMs) - costNanoUsd;
}
