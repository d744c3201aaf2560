import type { Requester } from '../../../domain/access/actor.ts';

/** Whether what an account's clients have made is the requester's own, not only to be looked after. */
export function ownedBy(requester: Requester | null, accountId: string): boolean {
  if (requester === null) return false;
  if (requester.kind === 'token') return requester.accountId === accountId;
  return requester.memberships.some((membership) => membership.accountId === accountId);
}
