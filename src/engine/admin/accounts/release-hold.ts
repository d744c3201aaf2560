import type { Hold } from '../../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Holds } from '../../ports/holds.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';

/** Releases the hold of a request that will not be charged. Throws `AdminError`. */
export async function releaseHold(
  { holds, trail }: { readonly holds: Holds; readonly trail: AuditTrail },
  clock: Clock,
  holdId: string,
): Promise<Hold> {
  const named = holdId.slice(0, 100);
  const hold = await holds.find(holdId);
  if (hold === null) throw new AdminError('not_found', 'request', `there is no reservation for a request "${named}"`);
  const closed = await holds.release(holdId, clock.nowMs());
  if (closed?.state === 'settled') {
    throw new AdminError('already_exists', 'request', `the request "${named}" has been settled`);
  }
  if (hold.state === 'open') {
    const { accountId, fromBalanceNanoUsd, fromLimitNanoUsd } = hold;
    const released = formatNanoUsd(fromBalanceNanoUsd ?? fromLimitNanoUsd ?? 0n);
    await trail.note({ action: 'hold.release', accountId, objectId: holdId, after: { released_usd: released } });
  }
  return hold;
}
