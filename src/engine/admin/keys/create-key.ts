import type { Credential, CredentialKind } from '../../../domain/access/api-key.ts';
import { hashSecret, newSecret, previewOf, randomBase62 } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount } from '../accounts/existing-account.ts';
import { AdminError } from '../admin-error.ts';
import { amountOf } from '../amount.ts';
import { checkedName } from '../identifiers.ts';
import { checkedLimit } from '../limits.ts';

export interface NewKey {
  readonly accountId: string;
  /** Defaults to `inference`: an `sk-` key. */
  readonly kind?: CredentialKind | undefined;
  readonly name?: string | undefined;
  /** A decimal amount in USD that the key may spend in all. */
  readonly limitUsd?: string | undefined;
  /** Patterns of model ids; without it every public model is allowed. */
  readonly models?: readonly string[] | undefined;
  /** For this key alone, beside the account's own limit. */
  readonly requestsPerMinute?: number | undefined;
  /** In milliseconds since 1970; without it the key never expires. */
  readonly expiresAtMs?: number | undefined;
}

export interface CreatedKey {
  /** The only time that the secret is seen: the store has its hash. */
  readonly secret: string;
  readonly credential: Credential;
}

/** Makes a key of an existing account. Throws `AdminError` when a value is invalid or the account unknown. */
export async function createKey(store: DirectoryStore, clock: Clock, input: NewKey): Promise<CreatedKey> {
  const details = {
    accountId: input.accountId,
    kind: input.kind ?? 'inference',
    name: checkedName(input.name ?? 'Key'),
    limitNanoUsd: input.limitUsd === undefined ? null : amountOf('limit_usd', input.limitUsd),
    models: input.models === undefined ? null : modelsOf(input.models),
    requestsPerMinute: checkedLimit('requests_per_minute', input.requestsPerMinute),
    expiresAtMs: expiryOf(input.expiresAtMs, clock.nowMs()),
  };
  await existingAccount(store, input.accountId);
  return store.write({ accounts: [input.accountId], serving: false }, (writer) => {
    const created = newCredential(clock.nowMs(), details);
    writer.putCredential(created.credential);
    return created;
  });
}

type CredentialDetails = Pick<
  Credential,
  'accountId' | 'kind' | 'name' | 'limitNanoUsd' | 'models' | 'requestsPerMinute' | 'expiresAtMs'
>;

/** A new credential with an id so random that no other has it, so that the id alone is enough to revoke it. */
export function newCredential(nowMs: number, details: CredentialDetails): CreatedKey {
  const secret = newSecret(details.kind);
  const credential: Credential = {
    ...details,
    id: `key_${randomBase62(10)}`,
    secretHash: hashSecret(secret),
    preview: previewOf(secret),
    createdAtMs: nowMs,
    revokedAtMs: null,
    origin: 'operator',
  };
  return { secret, credential };
}

function expiryOf(timeMs: number | undefined, nowMs: number): number | null {
  if (timeMs === undefined) return null;
  if (timeMs > nowMs) return timeMs;
  throw new AdminError('invalid_value', 'expires_at', 'must be in the future');
}

function modelsOf(patterns: readonly string[]): readonly string[] {
  if (patterns.length === 0 || patterns.some((pattern) => pattern.trim() === '')) {
    throw new AdminError('invalid_value', 'models', 'must name at least one model; leave it out to allow all');
  }
  return [...new Set(patterns)];
}
