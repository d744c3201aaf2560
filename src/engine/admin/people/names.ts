import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { PeopleStore } from '../../ports/people-store.ts';

interface NamePorts {
  readonly people: Pick<PeopleStore, 'usersOf'>;
  readonly directory: Pick<DirectoryStore, 'read'>;
}

/** A creator as an API answer shows it. */
export interface CreatorView {
  /** `user`, `token`, or another kind of actor such as `command_line` or `file`. */
  readonly type: string;
  readonly id: string | null;
  /** `null` if nobody of this id exists any more, or if the caller may not know the name. */
  readonly name: string | null;
}

/** Names the creators of objects: `user:…`, `token:…`, or another kind of actor. */
export interface CreatorNames {
  of(createdBy: string): CreatorView;
}

const USER = 'user:';
const TOKEN = 'token:';

/**
 * Resolves to the names of these creators.
 *
 * @param isVisible whether the caller may know the name of a user who belongs to these accounts
 */
export async function creatorNames(
  { people, directory }: NamePorts,
  creators: readonly (string | null)[],
  isVisible: (accountIds: readonly string[]) => boolean,
): Promise<CreatorNames> {
  const named = [...new Set(creators.filter((one) => one !== null))];
  const idsAfter = (prefix: string) =>
    named.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const tokens = idsAfter(TOKEN).map(tokenPlace);
  const [users, rows] = await Promise.all([
    people.usersOf(idsAfter(USER)),
    tokens.length === 0 ? null : directory.read({ credentials: tokens, serving: false }),
  ]);
  const names = new Map(
    users
      .filter(({ memberships }) => isVisible(memberships.map(({ accountId }) => accountId)))
      .map(({ id, name, email }) => [USER + id, name || email]),
  );
  for (const { accountId, id, name } of rows?.credentials ?? [])
    if (isVisible([accountId])) names.set(`${TOKEN}${accountId}/${id}`, name);
  return {
    of(createdBy) {
      const end = createdBy.indexOf(':');
      const type = end === -1 ? createdBy : createdBy.slice(0, end);
      return { type, id: end === -1 ? null : createdBy.slice(end + 1), name: names.get(createdBy) ?? null };
    },
  };
}

function tokenPlace(written: string) {
  const end = written.indexOf('/');
  return { accountId: written.slice(0, end), kind: 'management' as const, id: written.slice(end + 1) };
}
