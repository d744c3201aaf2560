import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { differences } from '../differences.ts';
import { refuseDeclared } from '../owned-elsewhere.ts';
import { withChange } from '../schema/check-input.ts';
import { type CreatedKey, newCredential, refusePast } from './create-key.ts';
import { keyNotFound, scopeOfKey } from './existing-key.ts';
import { checkedFacts, KIND_IN_WORDS, wordsOf } from './kinds.ts';

export interface ChangedKey {
  readonly credential: Credential;
  /** The fields that have another value now; none where it was so already, and nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'what it has spent is counted under it; make another key' };

/**
 * Changes some fields of a key or a token; `null` takes one back to its default. Throws `AdminError` for a field that is wrong, and for
 * one that is revoked or declared by the configuration file.
 *
 * @param change in the words of a configuration's `keys`, or `management_tokens`
 */
export async function changeKey(
  store: DirectoryStore,
  clock: Clock,
  key: CredentialKey,
  change: unknown,
): Promise<ChangedKey> {
  return onKey(store, key, (before, put) => {
    const { id: _id, ...facts } = checkedFacts(key.kind, withChange(wordsOf(before), change, FIXED));
    if (facts.expiresAtMs !== before.expiresAtMs) refusePast(facts, clock.nowMs());
    const credential: Credential = { ...before, ...facts };
    const changed = differences(wordsOf(before), wordsOf(credential));
    if (changed.length === 0) return { credential: before, changed };
    put(credential);
    return { credential, changed };
  });
}

/**
 * Gives a key or a token a new secret, seen this once; the old one is refused from then on, on all nodes. All else stays, and what it
 * has spent. Throws `AdminError` for one that is revoked or declared by the configuration file.
 */
export async function rotateKey(store: DirectoryStore, clock: Clock, key: CredentialKey): Promise<CreatedKey> {
  return onKey(store, key, (before, put) => {
    const { secret, credential } = newCredential(clock.nowMs(), before);
    const { secretHash, preview } = credential;
    const rotated: Credential = { ...before, secretHash, preview };
    put(rotated);
    return { secret, credential: rotated };
  });
}

async function onKey<Result extends object>(
  store: DirectoryStore,
  key: CredentialKey,
  change: (before: Credential, put: (after: Credential) => void) => Result,
): Promise<Result> {
  const done = await store.write(scopeOfKey(key), (writer) => {
    const [before] = writer.read().credentials;
    if (before === undefined) return null;
    const what = KIND_IN_WORDS[key.kind];
    if (before.revokedAtMs !== null) {
      throw new AdminError('conflict', what, `"${before.id}" is revoked for good: make another one`);
    }
    refuseDeclared(what, before);
    return change(before, (after) => writer.putCredential(after));
  });
  if (done === null) throw await keyNotFound(store, key);
  return done;
}
