import type { Role } from '../../domain/access/account.ts';
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
  /** One for each window, in their order. The first is the account's requests. */
  readonly owners: readonly LimitOwner[];
  /** The window that counts tokens; `null` if tokens are not limited. */
  readonly tokens: RateWindow | null;
}

export function quotaOf(principal: Principal): PrincipalQuota {
  const { account, credential } = principal;
  // Ids are encoded because braces have a meaning in stores (Redis hash tags).
  const scope = (...names: readonly string[]) => `{${encodeURIComponent(account.id)}}:${names.join(':')}`;
  const requests = (name: string, limit: number) => ({ scope: name, limit, windowMs: WINDOW_MS, amount: 1 });
  const ofRole = account.requestsPerMinute === null;
  const windows: RateWindow[] = [requests(scope('requests'), account.requestsPerMinute ?? ROLE_LIMITS[account.role])];
  const owners: LimitOwner[] = [{ whose: 'account', unit: 'requests', role: ofRole ? account.role : null }];
  if (credential.requestsPerMinute !== null) {
    windows.push(requests(scope('key', encodeURIComponent(credential.id)), credential.requestsPerMinute));
    owners.push({ whose: 'key', unit: 'requests', role: null });
  }
  let tokens: RateWindow | null = null;
  if (account.tokensPerMinute !== null) {
    tokens = { scope: scope('tokens'), limit: account.tokensPerMinute, windowMs: WINDOW_MS, amount: 0 };
    windows.push(tokens);
    owners.push({ whose: 'account', unit: 'tokens', role: null });
  }
  const { maxConcurrent } = account;
  const places = maxConcurrent === null ? null : { scope: scope('running'), limit: maxConcurrent };
  return { principal, windows, owners, tokens, places };
}
