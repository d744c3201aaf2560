import { upstreamCostOf } from '../../domain/money/upstream-cost.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { RequestRecord } from '../ports/request-log.ts';

/** Returns the charge of the provider; `null` if unknown. Accounts pay for their own channels, and nobody for failed attempts. */
export function upstreamCharge(asked: AskedTarget | null, record: RequestRecord): bigint | null {
  const { atMs, modelId, billable, cacheMatch, failedAttempts, times, applied = null } = record;
  if (failedAttempts.some(({ answeredParts = 0 }) => answeredParts > 0)) return null;
  if (asked === null || asked.isPrivate || cacheMatch !== null || times?.askedMs == null) return 0n;
  if (billable !== null) return upstreamCostOf(asked.channel.costs, { modelId, billable, atMs, applied });
  return times.upstreamStatus === null || times.upstreamStatus >= 400 ? 0n : null;
}
