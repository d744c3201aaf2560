import type { PersonActor, Requester } from '../../domain/access/actor.ts';
import { SecondFactorError } from './admin-error.ts';

/** How long a second factor counts after it was used. */
export const RECENT_SECOND_FACTOR_MS = 10 * 60_000;

/**
 * Refuses to change a setting on which the gateway's trust depends, unless the requester is an operator who has used a second factor
 * recently. Throws `AdminError`.
 *
 * @param by `null` if there is no request, as on the command line, which has access to the database anyway
 */
export function refuseAnchor(by: Requester | null, nowMs: number, field: string): void {
  if (by === null) return;
  if (by.kind === 'token') {
    const problem =
      'controls whom the gateway trusts, so no management token can change it: an admin can change it after signing in with two factors, ' +
      'or in the configuration file';
    throw new SecondFactorError('trust_anchor', field, problem);
  }
  if (hasRecentFactor(by, nowMs)) return;
  const problem =
    'controls whom the gateway trusts: confirm with your second factor first, which lasts for 10 minutes, or change it in the configuration ' +
    'file. Set one up if you have none';
  throw new SecondFactorError('recent_second_factor_required', field, problem);
}

/** Returns whether a second factor was used recently enough in the person's session. */
export function hasRecentFactor({ secondFactorAtMs }: Pick<PersonActor, 'secondFactorAtMs'>, nowMs: number): boolean {
  return secondFactorAtMs !== null && nowMs - secondFactorAtMs <= RECENT_SECOND_FACTOR_MS;
}

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
