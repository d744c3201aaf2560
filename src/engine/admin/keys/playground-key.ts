import type { Credential } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import type { Principal } from '../../../domain/access/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount, refuseArchived } from '../accounts/existing-account.ts';
import { AdminError } from '../admin-error.ts';
import { createKey, newCredential } from './create-key.ts';
import { existingKey } from './existing-key.ts';
import { checkedFacts } from './kinds.ts';

/*
 * The playground of the pages acts as a key of the account. The key that it takes where none is named is one like all others: it is in
 * the list, can be limited, and revoked. Its secret is thrown away as it is made.
 */

const NAME = 'Playground';
/** The first one's id; those after it have a number, since the id of a revoked key is never free again. */
const ID = 'playground';
const NUMBERED = /^playground(?:-([1-9]\d{0,8}))?$/;
const PAGE = 100;
/** Sorts before `ID`, and nothing that could be one lies between them. */
const BEFORE_ID = ID.slice(0, -1);

export interface PlaygroundKeyPorts {
  readonly directory: DirectoryStore;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * The key of this id, which must be in force. Throws an `AdminError`: `not_found` where the account has none, `conflict` where it has
 * ended, or its account is archived.
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
 * The account's own key for the playground; `null` where it never had one. One that somebody has revoked is not made anew behind their
 * back: an `AdminError` (`conflict`) says so.
 */
export async function playgroundKey(
  { directory, clock }: PlaygroundKeyPorts,
  accountId: string,
): Promise<Credential | null> {
  refuseArchived(await existingAccount(directory, accountId));
  const { usable, last } = await playgroundKeys({ directory, clock }, accountId);
  if (usable !== null || last === null) return usable;
  const what = `the account's key "${last.id}" for the playground ${problemOf(last, clock.nowMs())}`;
  throw new AdminError(
    'conflict',
    'key_id',
    `${what}; have a new one made (POST /playground-key), or name another key`,
  );
}

/** Returns who reads for an account that has no key for the playground: as the key that its first request will make, which is not stored. */
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
 * Makes the account's key for the playground where it has none that is in force. Throws an `AdminError` (`forbidden`) where it would have to
 * be made for somebody who does not belong to the account.
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
      'must name a key of the account: only for people who belong to it the playground makes one of its own',
    );
  }
  const id = last === null ? ID : `${ID}-${numberOf(last) + 1}`;
  const made = await createKey(directory, clock, { accountId, kind: 'inference' }, { id, name: NAME });
  return { key: made.credential, isNew: made.secret !== null };
}

interface Found {
  /** The newest that is in force. */
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
