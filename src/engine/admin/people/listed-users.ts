import type { UserWithMemberships } from '../../../domain/access/user.ts';
import type { ListStore, USER_ORDERS } from '../../ports/list-store.ts';
import { Names } from '../names.ts';
import { isDown, limitOf, type Page, type Sorting, sortedPageOf, sortPlaceAfter } from '../page.ts';
import { timeOrNull } from '../view-fields.ts';
import type { PeoplePorts } from './links.ts';
import { userView } from './person-view.ts';
import type { UserPageRequest } from './users.ts';

/** The ports of lists of users. */
export interface UserListPorts extends Pick<PeoplePorts, 'people' | 'directory'> {
  readonly lists: ListStore;
}

interface SortedUserRequest extends UserPageRequest, Sorting<(typeof USER_ORDERS)[number]> {}

/** Resolves to a page of the users in the given order. Throws `AdminError` for an invalid page. */
export async function sortedUsers(
  { people, lists }: Pick<UserListPorts, 'people' | 'lists'>,
  request: SortedUserRequest,
): Promise<Page<UserWithMemberships>> {
  const { sort, accountId, search: text } = request;
  const limit = limitOf(request);
  const after = sortPlaceAfter(request, { sort }, sort !== 'last_active_at');
  const places = await lists.users({
    ...{ by: sort, isDown: isDown(request), after, limit: limit + 1 },
    ...(accountId === undefined ? {} : { accountId }),
    ...(text === undefined ? {} : { text }),
  });
  const users = await people.usersOf(places.map(({ id }) => id));
  return sortedPageOf(places, limit, sort, new Map(users.map((user) => [user.id, user])));
}

/** A user as operators see it in lists: with the names of the accounts, and the last activity. */
export interface ListedUser {
  readonly user: UserWithMemberships;
  /** Milliseconds since 1970; `null` if unknown. */
  readonly lastActiveAtMs: number | null;
  /** The names of the accounts. */
  readonly names: Names;
}

/** Adds what is stored elsewhere, with two reads regardless of the number of users. */
export async function listedUsers(
  { directory, lists }: Pick<UserListPorts, 'directory' | 'lists'>,
  users: readonly UserWithMemberships[],
): Promise<readonly ListedUser[]> {
  const accounts = users.flatMap(({ memberships }) => memberships.map(({ accountId }) => ({ account: accountId })));
  const [names, active] = await Promise.all([
    Names.of(directory, accounts),
    lists.usersActive(users.map(({ id }) => id)),
  ]);
  return users.map((user) => ({ user, lastActiveAtMs: active.get(user.id) ?? null, names }));
}

/** Returns a user as operators see it. */
export function listedUserView({ user, lastActiveAtMs, names }: ListedUser) {
  return {
    ...userView(user),
    memberships: user.memberships.map(({ accountId, role }) => ({
      account: accountId,
      role,
      name: names.account(accountId) ?? accountId,
    })),
    last_active_at: timeOrNull(lastActiveAtMs),
  };
}
