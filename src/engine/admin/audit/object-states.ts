import { createHash } from 'node:crypto';
import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import type { Guard } from '../../../domain/guards/guard.ts';
import type { BudgetHolder } from '../../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { sortedJson } from '../../../domain/text/json-text.ts';
import type { AuditFields } from '../../ports/audit-log.ts';
import { AdminError } from '../admin-error.ts';
import { keyPreview } from '../channels/health-figures.ts';
import { credentialFields } from '../keys/read-keys.ts';
import { accountFields } from '../schema/account.ts';
import { channelFields } from '../schema/channel.ts';
import { shownGuardFields } from '../schema/guard.ts';
import { modelFields } from '../schema/model.ts';
import { upstreamKeyFields } from '../schema/upstream-keys.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

/* The changeable members of objects, in the form of the API and without secrets; used for the audit log and for ETags. */

export function accountState(account: Account): AuditFields {
  return { ...accountFields(account), ...raiseState(account), archived_at: timeOrNull(account.archivedAtMs) };
}

export function credentialState(credential: Credential): AuditFields {
  const { preview, revokedAtMs } = credential;
  return { ...credentialFields(credential), ...raiseState(credential), preview, revoked_at: timeOrNull(revokedAtMs) };
}

/** Returns the raise of a budget, whether or not it has ended; no member without one. */
function raiseState({ budgetRaise = null }: BudgetHolder): AuditFields {
  if (budgetRaise === null) return {};
  const { amountNanoUsd, untilMs } = budgetRaise;
  return { budget_raise: { to_usd: formatNanoUsd(amountNanoUsd), until: isoTime(untilMs) } };
}

export function modelState(model: DeclaredModel): AuditFields {
  return modelFields(model);
}

export function guardState(guard: Guard): AuditFields {
  return shownGuardFields(guard);
}

export function channelState(channel: Channel): AuditFields {
  const { api_key: _secret, api_keys: _secrets, ...fields } = channelFields(channel);
  const { enabled, block, resetAtMs } = channel;
  return {
    ...fields,
    api_key_preview: keyPreview(channel.apiKey),
    ...(channel.apiKeys !== undefined && { api_keys: channel.apiKeys.map(keyState) }),
    enabled,
    block: block?.reason ?? null,
    reset_at: timeOrNull(resetAtMs),
  };
}

function keyState(key: UpstreamKey) {
  const { key: secret, ...fields } = upstreamKeyFields(key);
  return {
    ...fields,
    key_preview: keyPreview(secret),
    block: key.block?.reason ?? null,
    reset_at: timeOrNull(key.resetAtMs),
  };
}

/** Returns the ETag of an object's state (RFC 9110, 8.8.3): equal states have equal tags. */
export function etagOf(state: AuditFields): string {
  return `"${createHash('sha256').update(sortedJson(state)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Throws an `AdminError` with the code `stale` if the object has changed since the caller read it (RFC 9110, 13.1.1).
 *
 * @param ifMatch the ETag that the caller has seen; `*` for any; absent to skip the check
 * @param etag returns the current ETag; called only if it is compared
 * @param what such as `the user "user_1"`
 */
export function refuseStale(ifMatch: string | undefined, etag: () => string, what: string): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === etag()) return;
  throw new AdminError('stale', 'If-Match', `${what} was changed after you read it: read it again`);
}
