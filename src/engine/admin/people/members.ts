import type { GrantedScope } from '../../../domain/access/scopes.ts';
import { isAtLeast, type MemberRole, type UserWithMemberships } from '../../../domain/access/user.ts';
import { AdminError } from '../admin-error.ts';
import { etagOf, refuseStale } from '../audit/object-states.ts';
import { refusePowers } from '../keys/change-keys.ts';
import { checkInput } from '../schema/check-input.ts';
import { memberSchema } from '../schema/people.ts';
import { type Doer, entryOf, type PeoplePorts, revokeLinksOf } from './links.ts';
import { memberState } from './person-view.ts';

/** The requester who changes a member. */
interface Changer extends Pick<Doer, 'origin' | 'isOperator' | 'token'> {
  /** The ETag of what the caller has seen; absent if it does not matter. */
  readonly ifMatch?: string | undefined;
}

type Ports = Pick<PeoplePorts, 'people' | 'clock'>;

/** Returns the scope that a token needs to act as this role: a viewer reads, and an owner can make tokens with all scopes. */
export function worthOf(role: MemberRole): GrantedScope {
  return role === 'viewer' ? '*:read' : '*';
}

/** Resolves to a member of the account. Throws `AdminError`. */
export async function existingMember(
  { people }: Pick<PeoplePorts, 'people'>,
  accountId: string,
  userId: string,
): Promise<UserWithMemberships> {
  const user = await people.user(userId);
  if (user?.memberships.some((one) => one.accountId === accountId)) return user;
  throw new AdminError('not_found', 'member', `the account "${accountId}" has no member "${userId.slice(0, 100)}"`);
}

/**
 * Gives a member another role. Only an operator can leave the account without an owner. Throws `AdminError`.
 *
 * @param input in the form of `memberSchema`
 */
export async function changeMember(
  ports: Ports,
  by: Changer,
  member: { readonly accountId: string; readonly userId: string },
  input: unknown,
): Promise<UserWithMemberships> {
  const { role } = checkInput(memberSchema, [], input);
  await existingMember(ports, member.accountId, member.userId);
  return await set(ports, by, { ...member, role });
}

/** Removes a member from an account. Throws `AdminError` as `changeMember` does. */
export async function removeMember(
  ports: Ports,
  by: Changer,
  member: { readonly accountId: string; readonly userId: string },
): Promise<void> {
  await existingMember(ports, member.accountId, member.userId);
  await set(ports, by, { ...member, role: null });
}

async function set(
  { people, clock }: Ports,
  by: Changer,
  member: { readonly accountId: string; readonly userId: string; readonly role: MemberRole | null },
): Promise<UserWithMemberships> {
  const { accountId, userId, role } = member;
  const atMs = clock.nowMs();
  const changed = await people.setMembership(member, { atMs, keepOwner: !by.isOperator }, (result) => {
    if (result.outcome !== 'changed') return [];
    const etag = () => etagOf(memberState(result.user, accountId, result.before));
    refuseStale(by.ifMatch, etag, `the member "${userId}"`);
    if (result.before === role) return [];
    const isLess = role === null || (result.before !== null && isAtLeast(result.before, role));
    if (!isLess) refusePowers(by.token, worthOf(role), 'role');
    const stateOf = (one: MemberRole | null) => (one === null ? null : memberState(result.user, accountId, one));
    const action = role === null ? 'member.remove' : result.before === null ? 'member.add' : 'member.change';
    const states = { before: stateOf(result.before), after: stateOf(role) };
    return [entryOf(by, atMs, { action, accountId, objectId: userId, ...states })];
  });
  if (changed.outcome === 'not_found') throw new AdminError('not_found', 'member', `there is no user "${userId}"`);
  if (changed.outcome === 'last_owner') {
    throw new AdminError('conflict', 'role', 'is the only owner of the account: make someone else an owner first');
  }
  if (changed.before === 'owner' && role !== 'owner') await revokeLinksOf({ people, clock }, by, userId, accountId);
  return (await people.user(userId)) ?? changed.user;
}
