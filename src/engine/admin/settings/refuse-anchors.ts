import type { PersonActor, Requester } from '../../../domain/access/actor.ts';
import { SecondFactorError } from '../admin-error.ts';

/** How long a second factor counts after it was used. */
export const RECENT_SECOND_FACTOR_MS = 10 * 60_000;

/**
 * Refuses to change what the gateway's trust hangs on, unless an operator asks who has used a second factor lately. Throws `AdminError`.
 *
 * @param by `null` for what has no request, such as the command line, which has the database anyway
 */
export function refuseAnchor(by: Requester | null, nowMs: number, field: string): void {
  if (by === null) return;
  if (by.kind === 'token') {
    const problem =
      'decides whom the gateway trusts, so no management token can change it: an admin changes it after signing in with two factors, ' +
      'or in the configuration file';
    throw new SecondFactorError('trust_anchor', field, problem);
  }
  if (hasRecentFactor(by, nowMs)) return;
  const problem =
    'decides whom the gateway trusts: confirm with your second factor first, which lasts for 10 minutes, or change it in the configuration ' +
    'file. Set one up if you have none';
  throw new SecondFactorError('recent_second_factor_required', field, problem);
}

/** Whether a second factor was used in the person's session so lately that it counts. */
export function hasRecentFactor({ secondFactorAtMs }: Pick<PersonActor, 'secondFactorAtMs'>, nowMs: number): boolean {
  return secondFactorAtMs !== null && nowMs - secondFactorAtMs <= RECENT_SECOND_FACTOR_MS;
}
