import type { Credential } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { keyWords } from '../schema/credential.ts';
import { isoTime, timeOrNull } from '../schema/iso-time.ts';
import type { ListedKey } from './list-keys.ts';

/** A key or a management token as JSON: amounts as decimal texts in USD, times in RFC 3339 and UTC; neither secret nor hash. */
export function keyView(key: Credential, nowMs: number) {
  return {
    ...keyWords(key),
    account: key.accountId,
    kind: key.kind,
    preview: key.preview,
    state: keyState(key, nowMs),
    origin: key.origin,
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

export function keyState(key: Credential, nowMs: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAtMs !== null) return 'revoked';
  return isExpired(key, nowMs) ? 'expired' : 'active';
}
