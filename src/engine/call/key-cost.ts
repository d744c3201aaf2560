import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import { upstreamCostOf } from '../../domain/money/upstream-cost.ts';
import type { AskedTarget } from '../directory/target.ts';

/** A request that was answered with one of several upstream keys. */
export interface KeyedWork {
  readonly modelId: string | null;
  readonly billable: Billable;
  /** When it was priced, in milliseconds since 1970. */
  readonly atMs: number;
  /** The prices at which the account was charged; `null` if unknown. */
  readonly applied: AppliedPrices | null;
}

/**
 * Returns what a request has cost at the upstream, to be counted against the key's spend cap: the usage at the channel's `costs`, else at the
 * model's prices; 0 if neither is known. Usage beyond what is plausible for the request does not count, as it is not charged either
 * (docs/billing.md).
 */
export function keyCostOf(
  { channel, keyPricing = null }: Pick<AskedTarget, 'channel' | 'keyPricing'>,
  work: KeyedWork,
): bigint {
  const { modelId } = work;
  if (modelId === null) return 0n;
  const cost = upstreamCostOf(channel.costs, work) ?? costAt(keyPricing, modelId, work) ?? 0n;
  const held = BigInt(work.applied?.heldNanoUsd ?? 0);
  if (held === 0n) return cost;
  const stated = costAt(keyPricing, modelId, work) ?? 0n;
  return stated > held ? (cost * (stated - held)) / stated : 0n;
}

function costAt(pricing: ModelPricing, modelId: string, work: KeyedWork): bigint | null {
  return upstreamCostOf({ [modelId]: pricing }, work);
}

/** Counts a request against the spend cap of the key that answered it. */
export function countSpending(target: AskedTarget, work: KeyedWork): void {
  target.health.channel.spending?.add(keyCostOf(target, work));
}
