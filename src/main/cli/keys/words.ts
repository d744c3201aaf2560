import type { Credential } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { isoTime } from '../time.ts';

export function keyAsJson(key: Credential, nowMs: number) {
  return {
    id: key.id,
    account: key.accountId,
    kind: key.kind,
    name: key.name,
    preview: key.preview,
    limit_usd: key.limitNanoUsd === null ? null : formatNanoUsd(key.limitNanoUsd),
    models: key.models,
    requests_per_minute: key.requestsPerMinute,
    state: stateOf(key, nowMs),
    origin: key.origin,
    created_at: isoTime(key.createdAtMs),
    expires_at: timeOrNull(key.expiresAtMs),
    revoked_at: timeOrNull(key.revokedAtMs),
  };
}

export function stateOf(key: Credential, nowMs: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAtMs !== null) return 'revoked';
  return isExpired(key, nowMs) ? 'expired' : 'active';
}

export function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
