import type { Credential } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import type { Principal } from '../../../domain/access/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount, refuseArchived } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import { checkedFacts, createKey, newCredential } from './change-keys.ts';
import { existingKey } from './read-keys.ts';

/*
 * The dashboard's playground uses a key of the account. Its default key is an ordinary one: it is listed, can be limited, and revoked. Its
 * secret is discarded when it is made.
 */

const NAME = 'Playground';
/** The first key's id. Later ones have a number, since the id of a revoked key is never reused. */
const ID = 'playground';
const NUMBERED = /^playground(?:-([1-9]\d{0,8}))?$/;
const PAGE = 100;
/** Sorts before `ID`, with no possible id in between. */
const BEFORE_ID = ID.slice(0, -1);

export interface PlaygroundKeyPorts {
  readonly directory: DirectoryStore;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Resolves to the key with this id, which must be in force. Throws an `AdminError`: `not_found` if the account has none, `conflict` if it
 * has ended or its account is archived.
 */
export async function namedKey(
  { directory, clock }: PlaygroundKeyPorts,
  accountId: string,
  id: string,
): Promise<Credential> {
  refuseArchived(await existingAccount(directory, accountId));
  const key = await existingKey(directory, { accountId, kind: 'inference', id });
  const problem = problemOf(key, clock.nowMs());
  if (problem === null) return key;
  throw new AdminError('conflict', 'key_id', `the key "${id}" ${problem}; name another key of the account`);
}

/**
 * Resolves to the account's own key for the playground; `null` if it never had one. A revoked key is not silently replaced: an `AdminError`
 * (`conflict`) reports it.
 */
export async function playgroundKey(
  { directory, clock }: PlaygroundKeyPorts,
  accountId: string,
): Promise<Credential | null> {
  refuseArchived(await existingAccount(directory, accountId));
  const { usable, last } = await playgroundKeys({ directory, clock }, accountId);
  if (usable !== null || last === null) return usable;
  const what = `the account's key "${last.id}" for the playground ${problemOf(last, clock.nowMs())}`;
  throw new AdminError('conflict', 'key_id', `${what}; create a new one (POST /playground-key), or name another key`);
}

/**
 * Resolves to a principal for reading in the playground without a key: it has the key that the first request will make, which is not
 * stored.
 */
export async function playgroundReader(
  { directory, clock }: PlaygroundKeyPorts,
  accountId: string,
): Promise<Principal> {
  const account = await existingAccount(directory, accountId);
  const { id: _none, ...facts } = checkedFacts('inference', { name: NAME });
  const { credential } = newCredential(clock.nowMs(), { ...facts, accountId, kind: 'inference', id: ID });
  return { account, credential };
}

/**
 * Makes the account's key for the playground if it has none in force. Throws an `AdminError` (`forbidden`) if the caller does not belong to
 * the account.
 */
export async function makePlaygroundKey(
  { directory, clock }: PlaygroundKeyPorts,
  accountId: string,
  { isOwn }: { readonly isOwn: boolean },
): Promise<{ readonly key: Credential; readonly isNew: boolean }> {
  const { usable, last } = await playgroundKeys({ directory, clock }, accountId);
  if (usable !== null) return { key: usable, isNew: false };
  if (!isOwn) {
    throw new AdminError(
      'forbidden',
      'key_id',
      'must name a key of the account: the playground creates one only for members of the account',
    );
  }
  const id = last === null ? ID : `${ID}-${numberOf(last) + 1}`;
  const made = await createKey(directory, clock, { accountId, kind: 'inference' }, { id, name: NAME });
  return { key: made.credential, isNew: made.secret !== null };
}

interface Found {
  /** The newest key in force. */
  readonly usable: Credential | null;
  readonly last: Credential | null;
}

async function playgroundKeys({ directory, clock }: PlaygroundKeyPorts, accountId: string): Promise<Found> {
  const nowMs = clock.nowMs();
  const found: Credential[] = [];
  let after = BEFORE_ID;
  for (;;) {
    const place = { accountId, kind: 'inference', id: after } as const;
    const rows = await directory.credentials({ accountId, kind: 'inference', after: place, limit: PAGE });
    found.push(...rows.filter(({ id }) => NUMBERED.test(id)));
    const last = rows.at(-1)?.id;
    if (rows.length < PAGE || last === undefined || !last.startsWith(ID)) break;
    after = last;
  }
  found.sort((a, b) => numberOf(b) - numberOf(a));
  const usable = found.find((key) => problemOf(key, nowMs) === null);
  return { usable: usable ?? null, last: found[0] ?? null };
}

function numberOf({ id }: Credential): number {
  return Number(NUMBERED.exec(id)?.[1] ?? 1);
}

function problemOf(key: Credential, nowMs: number): string | null {
  if (key.revokedAtMs !== null) return 'is revoked';
  return isExpired(key, nowMs) ? 'has expired' : null;
}
