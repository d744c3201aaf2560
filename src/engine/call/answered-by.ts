import type { CacheHit } from '../../domain/cache/cache.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { AnsweredBy } from '../ports/billing.ts';

/** Returns the facts about an answer's origin that its price depends on. `status` is 0 if no response headers have been sent. */
export function answeredBy(
  { channel, isPrivate, governed, upstreamModel, ruleModel }: AskedTarget,
  served: ServedAs | null,
  hit: CacheHit | null,
  status: number,
): AnsweredBy {
  const tierFactor = governed?.factorOfTier(served?.serviceTier ?? null, ruleModel ?? upstreamModel ?? '') ?? null;
  const by = { channelId: channel.id, isPrivate, tierFactor };
  if (hit === null && status === 0) return by;
  return {
    ...by,
    ...(hit !== null && { percent: hit.pricePercent ?? 0 }),
    ...(status !== 0 && { status }),
  };
}
