import type { Me } from '../api/schema.ts';

/** The storage key of the last viewed account, which may no longer exist. */
const KEPT_AS = 'switchyard.account';

export function rememberAccount(accountId: string): void {
  localStorage.setItem(KEPT_AS, accountId);
}

/** Returns the person's own account that was viewed last, else their first one; `null` if they belong to none. */
export function lastAccountOf({ memberships }: Me): string | null {
  const last = localStorage.getItem(KEPT_AS);
  return (memberships.find(({ account }) => account === last) ?? memberships[0])?.account ?? null;
}
