import type { Requester } from '../../../domain/access/actor.ts';
import { SecondFactorError } from '../admin-error.ts';
import { hasRecentFactor } from '../require-second-factor.ts';

/**
 * Throws `AdminError` unless an operator who has recently used a second factor requests the erasure, which is irreversible.
 *
 * @param by `null` for a caller without a request, such as the command line
 */
export function refuseErasure(by: Requester | null, nowMs: number, field: string): void {
  if (by === null) return;
  if (by.kind === 'token') {
    const problem =
      'cannot be erased with a management token: an admin must do it after signing in with two factors, or on the command line';
    throw new SecondFactorError('person_required', field, problem);
  }
  if (hasRecentFactor(by, nowMs)) return;
  const problem =
    'cannot be restored after an erasure: confirm with your second factor first, which lasts for 10 minutes. Set one up if you have none';
  throw new SecondFactorError('recent_second_factor_required', field, problem);
}
