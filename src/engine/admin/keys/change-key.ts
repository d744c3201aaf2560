import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { differences } from '../differences.ts';
import { refuseDeclared } from '../owned-elsewhere.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { rotationSchema } from '../schema/credential.ts';
import { type CreatedKey, newCredential, refusePast } from './change-keys.ts';
import { keyNotFound, scopeOfKey } from './existing-key.ts';
import { checkedFacts, KIND_IN_WORDS, wordsOf } from './kinds.ts';
import { refuseBeyond, type TokenInUse } from './token-in-use.ts';

export interface ChangedKey {
  readonly credential: Credential;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'its spending is counted under it; create another key' };

/**
 * Changes some fields of a key or a token; `null` resets one to its default. Throws `AdminError` for an invalid field, and for one that is
 * revoked or declared by the configuration file.
 *
 * @param change in the form of a configuration's `keys`, or `management_tokens`
 * @param by the token that the caller uses, if any
 */
export async function changeKey(
  store: DirectoryStore,
  clock: Clock,
  key: CredentialKey,
  change: unknown,
  by: TokenInUse | null = null,
): Promise<ChangedKey> {
  return onKey(store, key, (before, put) => {
    refuseBeyond(by, before);
    const { id: _id, ...facts } = checkedFacts(key.kind, withChange(wordsOf(before), change, FIXED));
    if (facts.expiresAtMs !== before.expiresAtMs) refusePast(facts, clock.nowMs());
    const credential: Credential = { ...before, ...facts };
    refuseBeyond(by, credential);
    const changed = differences(wordsOf(before), wordsOf(credential));
    if (changed.length === 0) return { credential: before, changed };
    put(credential);
    return { credential, changed };
  });
}

/**
 * Gives a key or a token a new secret, which is shown once. The old one is rejected from then on, on all nodes, or from the end of a grace
 * period; one still in an earlier grace period ends at once. Everything else stays, including its spending. Throws `AdminError` for one
 * that is revoked or declared by the configuration file.
 *
 * @param input `grace_seconds`: how long the old secret is accepted beside the new one; 0 by default
 * @param by the token that the caller uses, if any
 */
export async function rotateKey(
  store: DirectoryStore,
  clock: Clock,
  key: CredentialKey,
  input: unknown = {},
  by: TokenInUse | null = null,
): Promise<CreatedKey> {
  const { grace_seconds: graceSeconds } = checkInput(rotationSchema, ['rotation'], input);
  return onKey(store, key, (before, put) => {
    refuseBeyond(by, before);
    const nowMs = clock.nowMs();
    const { secret, credential } = newCredential(nowMs, before);
    const { secretHash, preview } = credential;
    // A time of 0 has passed by every node's clock.
    const endsAtMs = graceSeconds ? nowMs + graceSeconds * 1_000 : 0;
    const rotated = { ...before, secretHash, preview, previousSecret: { secretHash: before.secretHash, endsAtMs } };
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
      throw new AdminError('conflict', what, `"${before.id}" is permanently revoked: create a new one`);
    }
    refuseDeclared(what, before);
    return change(before, (after) => writer.putCredential(after));
  });
  if (done === null) throw await keyNotFound(store, key);
  return done;
}
