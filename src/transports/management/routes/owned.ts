import type { Requester } from '../../../domain/access/actor.ts';

/** Returns whether the requester belongs to the account whose clients created an object, rather than only operating it. */
export function ownedBy(requester: Requester | null, accountId: string): boolean {
  if (requester === null) return false;
  if (requester.kind === 'token') return requester.accountId === accountId;
  return requester.memberships.some((membership) => membership.accountId === accountId);
}
