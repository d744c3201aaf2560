import { END_USER_KEY, withEndUser, withMetadata } from '../../../domain/usage/request-tags.ts';
import { type EndUsers, USER_ID_KEY } from '../../call/end-users.ts';
import { type AccountErasureStore, TAG_PLACES, type TagPlace } from '../../ports/account-erasure-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { Store } from '../../ports/store.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import { type Doer, entryOf } from '../people/links.ts';

export interface EndUserErasurePorts {
  readonly accountErasures: Pick<AccountErasureStore, 'removeTag'>;
  readonly audit: Pick<Store['audit'], 'append'>;
  readonly directory: Pick<DirectoryStore, 'read' | 'accounts'>;
  readonly endUsers: Pick<EndUsers, 'hashed'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The hash of the end user, and the number of rows per place. */
export interface ErasedEndUser {
  readonly hash: string;
  readonly removed: Readonly<Record<TagPlace, number>>;
}

type Erase = (by: Pick<Doer, 'origin'>, of: EndUser) => Promise<ErasedEndUser>;

interface EndUser {
  readonly accountId: string;
  readonly name: string;
}

/**
 * Returns a function that erases one end user at a time: each erasure reads the request log of all accounts. The function throws
 * `AdminError` while another erasure is running in this process.
 */
export function endUserErasures(ports: EndUserErasurePorts): Erase {
  let isRunning = false;
  return async (by, of) => {
    if (isRunning) {
      throw new AdminError(
        'conflict',
        'name',
        'cannot be erased yet: another end user is being erased. Try again in a minute',
      );
    }
    isRunning = true;
    try {
      return await eraseEndUser(ports, by, of);
    } finally {
      isRunning = false;
    }
  };
}

/**
 * Removes what is stored about an end user of an account: the name and its hash, whatever the setting was at the time. Counts and costs stay in
 * the sums of all requests. An interrupted erasure is continued by calling this again; requests in flight write their lines afterwards.
 */
async function eraseEndUser(
  { accountErasures, audit, directory, endUsers, clock }: EndUserErasurePorts,
  by: Pick<Doer, 'origin'>,
  { accountId, name }: EndUser,
): Promise<ErasedEndUser> {
  const { id } = await existingAccount(directory, accountId);
  const hash = endUsers.hashed(id, name);
  const tags = [...withEndUser([], name), `${END_USER_KEY}=${hash}`, ...withMetadata([], { [USER_ID_KEY]: name })];
  const removed: Record<TagPlace, number> = { usage: 0, requestLines: 0, tasks: 0, holds: 0 };
  for (const tag of tags) {
    for (const place of TAG_PLACES) {
      for (let from: number | null = 0; from !== null; ) {
        const part = await accountErasures.removeTag({ accountId: id, tag }, place, from);
        removed[place] += part.removed;
        from = part.next;
      }
    }
  }
  // The entry has the hash, which names nobody.
  const change = {
    action: 'end_user.erase',
    accountId: id,
    objectId: hash,
    before: null,
    after: removedFields(removed),
  };
  await audit.append([entryOf(by, clock.nowMs(), change)]);
  return { hash, removed };
}

function removedFields({ usage, requestLines, tasks, holds }: ErasedEndUser['removed']) {
  return { usage_tags: usage, request_lines: requestLines, tasks, holds };
}

/** Returns the erasure in the form of the API. */
export function endUserErasureView({ hash, removed }: ErasedEndUser) {
  return { object: 'end_user_erasure' as const, hash, removed: removedFields(removed) };
}
