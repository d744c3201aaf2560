import type { Credential } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { keyWords } from '../schema/credential.ts';
import { isoTime, timeOrNull } from '../schema/iso-time.ts';
import { managedBy } from '../view-fields.ts';
import type { ListedKey } from './read-keys.ts';

/** Returns a key or a management token as JSON: amounts as decimal texts in USD, times in RFC 3339 and UTC; neither secret nor hash. */
export function keyView(key: Credential, nowMs: number) {
  return {
    ...keyWords(key),
    account: key.accountId,
    kind: key.kind,
    preview: key.preview,
    ...(key.scopes === null ? {} : { scopes: key.scopes }),
    previous_secret_expires_at: graceEnd(key, nowMs),
    state: keyState(key, nowMs),
    origin: key.origin,
    managed_by: managedBy(key.origin),
    created_at: isoTime(key.createdAtMs),
    revoked_at: timeOrNull(key.revokedAtMs),
  };
}

export function listedKeyView({ credential, spentNanoUsd, lastUsedAtMs }: ListedKey, nowMs: number) {
  return {
    ...keyView(credential, nowMs),
    spent_usd: formatNanoUsd(spentNanoUsd),
    last_used_at: timeOrNull(lastUsedAtMs),
  };
}

/** Omits limits and spending, which a management token does not have. */
export function tokenView({ credential, lastUsedAtMs }: ListedKey, nowMs: number) {
  const { limit_usd, budget, models, requests_per_minute, ...view } = keyView(credential, nowMs);
  return { ...view, scopes: credential.scopes ?? [], last_used_at: timeOrNull(lastUsedAtMs) };
}

export function keyState(key: Credential, nowMs: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAtMs !== null) return 'revoked';
  return isExpired(key, nowMs) ? 'expired' : 'active';
}

/** Returns until when the previous secret is accepted; `null` if it is not. */
function graceEnd({ previousSecret }: Credential, nowMs: number): string | null {
  return previousSecret === null || previousSecret.endsAtMs <= nowMs ? null : isoTime(previousSecret.endsAtMs);
}
