import type { Account, Role } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Quota, RateWindow } from '../ports/rate-counters.ts';

export const WINDOW_MS = 60_000;

/** Requests per minute (contract, Limits). */
const ROLE_LIMITS: Readonly<Record<Role, number>> = { User: 60, Partner: 300, VIP: 1_000 };

/** The owner of a window's limit, for the message to a refused client. */
export interface LimitOwner {
  readonly whose: 'account' | 'key';
  readonly unit: 'requests' | 'tokens';
  /** The account's role if the limit comes from it; else `null`. */
  readonly role: Role | null;
}

/** The limits for the requests of one account with one of its keys. */
export interface PrincipalQuota extends Quota {
  readonly principal: Principal;
  /** One for each window, in the same order. The first is the account's requests. */
  readonly owners: readonly LimitOwner[];
  /** The window that counts tokens; `null` if tokens are not limited. */
  readonly tokens: RateWindow | null;
}

/** Ids are encoded because braces have a meaning in stores (Redis hash tags). */
function scopeOf(accountId: string, ...names: readonly string[]): string {
  return `{${encodeURIComponent(accountId)}}:${names.join(':')}`;
}

export function accountRequests({ id, role, requestsPerMinute }: Account): RateWindow {
  return requestWindow(scopeOf(id, 'requests'), requestsPerMinute ?? ROLE_LIMITS[role]);
}

/** Returns `null` if tokens are not limited. */
export function accountTokens({ id, tokensPerMinute }: Account): RateWindow | null {
  if (tokensPerMinute === null) return null;
  return { scope: scopeOf(id, 'tokens'), limit: tokensPerMinute, windowMs: WINDOW_MS, amount: 0 };
}

/** Returns `null` for a key without a request limit. */
export function keyRequests({ accountId, id, requestsPerMinute }: Credential): RateWindow | null {
  if (requestsPerMinute === null) return null;
  return requestWindow(scopeOf(accountId, 'key', encodeURIComponent(id)), requestsPerMinute);
}

function requestWindow(scope: string, limit: number): RateWindow {
  return { scope, limit, windowMs: WINDOW_MS, amount: 1 };
}

export function quotaOf(principal: Principal): PrincipalQuota {
  const { account, credential } = principal;
  const ofRole = account.requestsPerMinute === null;
  const windows: RateWindow[] = [accountRequests(account)];
  const owners: LimitOwner[] = [{ whose: 'account', unit: 'requests', role: ofRole ? account.role : null }];
  const ofKey = keyRequests(credential);
  if (ofKey !== null) {
    windows.push(ofKey);
    owners.push({ whose: 'key', unit: 'requests', role: null });
  }
  const tokens = accountTokens(account);
  if (tokens !== null) {
    windows.push(tokens);
    owners.push({ whose: 'account', unit: 'tokens', role: null });
  }
  const { maxConcurrent } = account;
  const places = maxConcurrent === null ? null : { scope: scopeOf(account.id, 'running'), limit: maxConcurrent };
  return { principal, windows, owners, tokens, places };
}
