import { canonicalEmail, type UserWithMemberships } from '../../../domain/access/user.ts';
import type { UserPage, UserSession } from '../../ports/people-store.ts';
import { AdminError } from '../admin-error.ts';
import { etagOf, refuseStale } from '../audit/object-states.ts';
import { differences } from '../differences.ts';
import { refusePowers } from '../keys/change-keys.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { checkInput } from '../schema/check-input.ts';
import { userChangeSchema } from '../schema/people.ts';
import { type Doer, entryOf, type PeoplePorts, revokeLinksOf } from './links.ts';
import { userState } from './person-view.ts';

type Ports = Pick<PeoplePorts, 'people' | 'clock'>;

export interface UserPageRequest extends PageRequest {
  /** Lists only members of this account. */
  readonly accountId?: string | undefined;
  /** Lists only users whose address or name contains this text. */
  readonly search?: string | undefined;
}

/** Resolves to a page of the users by address. Throws `AdminError` for an invalid page. */
export async function listUsers(
  { people }: Pick<PeoplePorts, 'people'>,
  request: UserPageRequest,
): Promise<Page<UserWithMemberships>> {
  const limit = limitOf(request);
  const [after] = placeAfter(request, 1) ?? [];
  const page: UserPage = {
    limit: limit + 1,
    after: after ?? null,
    ...(request.accountId === undefined ? {} : { accountId: request.accountId }),
    ...(request.search === undefined ? {} : { search: request.search }),
  };
  return pageOf(await people.users(page), limit, ({ email }) => [email]);
}

/** Resolves to the user with this id or address. Throws `AdminError`. */
export async function existingUser(
  { people }: Pick<PeoplePorts, 'people'>,
  named: string,
): Promise<UserWithMemberships> {
  const user = named.includes('@') ? await people.userByEmail(canonicalEmail(named)) : await people.user(named);
  if (user === null) throw new AdminError('not_found', 'user', `there is no user "${named.slice(0, 100)}"`);
  return user;
}

/**
 * Changes a user: the name, whether they are an operator, and whether they are disabled, which ends their sessions at once. Throws
 * `AdminError`, also if nobody would be left who can act as an operator, or if a user whose address is unverified would become one.
 *
 * @param input in the form of `userChangeSchema`
 * @param ifMatch the ETag of what the caller has seen; absent if it does not matter
 */
export async function changeUser(
  { people, clock }: Ports,
  by: Pick<Doer, 'origin' | 'token'>,
  id: string,
  input: unknown,
  ifMatch?: string,
): Promise<UserWithMemberships> {
  const { name, operator, disabled } = checkInput(userChangeSchema, [], input);
  if (operator === true) refusePowers(by.token, '*', 'operator');
  if (disabled === false) refusePowers(by.token, '*', 'disabled');
  const atMs = clock.nowMs();
  const user = await existingUser({ people }, id);
  const isDisabled = user.disabledAtMs !== null;
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(operator === undefined ? {} : { operator }),
    ...(disabled === undefined || disabled === isDisabled ? {} : { disabledAtMs: disabled ? atMs : null }),
  };
  const changed = await people.changeUser(user.id, change, atMs, (result) => {
    if (result.outcome !== 'changed') return [];
    const [before, after] = [userState(result.before), userState(result.after)];
    refuseStale(ifMatch, () => etagOf(before), `the user "${user.id}"`);
    if (operator === true && !result.before.operator && !result.before.emailVerified) throw neverVerified(user.email);
    const names = differences(before, after);
    if (names.length === 0) return [];
    const action = names.includes('disabled_at') ? (disabled === true ? 'user.disable' : 'user.enable') : 'user.change';
    const pick = (fields: typeof before) => Object.fromEntries(names.map((one) => [one, fields[one] ?? null]));
    return [
      entryOf(by, atMs, { action, accountId: null, objectId: user.id, before: pick(before), after: pick(after) }),
    ];
  });
  if (changed.outcome === 'changed') {
    const isLess = disabled === true || (changed.before.operator && !changed.after.operator);
    if (isLess) await revokeLinksOf({ people, clock }, by, user.id, null);
    return changed.after;
  }
  if (changed.outcome === 'not_found') throw new AdminError('not_found', 'user', `there is no user "${user.id}"`);
  const problem = `"${user.email}" is the last admin who can sign in: make another user an admin first`;
  throw new AdminError('conflict', disabled === true ? 'disabled' : 'operator', problem);
}

function neverVerified(email: string): AdminError {
  return new AdminError(
    'conflict',
    'operator',
    `"${email}" was never verified and may belong to somebody else: create a password reset link first`,
  );
}

/** Resolves to the sessions that have not ended, newest first. */
export async function listSessions({ people, clock }: Ports, userId: string): Promise<readonly UserSession[]> {
  return await people.sessions(userId, clock.nowMs());
}

/** Ends a session of a user. Throws `AdminError` if the user has no such session. */
export async function revokeSession(
  { people, clock }: Ports,
  by: Pick<Doer, 'origin'>,
  userId: string,
  sessionId: string,
): Promise<void> {
  const change = {
    action: 'session.revoke',
    accountId: null,
    objectId: userId,
    before: { session: sessionId },
    after: null,
  };
  const ended = await people.endSession(userId, sessionId, (was) => (was ? [entryOf(by, clock.nowMs(), change)] : []));
  if (!ended) throw new AdminError('not_found', 'session', `there is no session "${sessionId.slice(0, 100)}"`);
}

/** Ends all sessions of a user, or all but one, and resolves to how many. */
export async function revokeSessions(
  { people, clock }: Ports,
  by: Pick<Doer, 'origin'>,
  userId: string,
  except: string | null,
): Promise<number> {
  return await people.endSessions(userId, except, (sessions) => {
    if (sessions === 0) return [];
    const change = {
      action: 'session.revoke_all',
      accountId: null,
      objectId: userId,
      before: { sessions },
      after: null,
    };
    return [entryOf(by, clock.nowMs(), change)];
  });
}
