import { createContext, useContext } from 'react';
import { useSession } from './session.tsx';

/** What the pages are about: one account, or the whole gateway as its operators see it. */
export interface Scope {
  /** `null`: all accounts. */
  readonly accountId: string | null;
  /** Where the pages of this scope lie: `/app/a/<account>` or `/app/operator`. */
  readonly base: string;
}

const Context = createContext<Scope>({ accountId: null, base: '/app/operator' });

export const ScopeProvider = Context.Provider;

export function scopeOf(accountId: string | null): Scope {
  return { accountId, base: accountId === null ? '/app/operator' : `/app/a/${encodeURIComponent(accountId)}` };
}

export interface ScopeInUse extends Scope {
  /** For queries: names the account, or none where all are meant. */
  readonly query: { readonly account_id?: string };
  readonly isOperator: boolean;
  /** Belongs to the account; an operator may look at others, too. */
  readonly isMember: boolean;
  /** May make and change keys: members, owners, operators. */
  readonly mayWrite: boolean;
  /** Owners and operators. */
  readonly mayOwn: boolean;
}

export function useScope(): ScopeInUse {
  const scope = useContext(Context);
  const { me } = useSession();
  const { accountId } = scope;
  const role = me.memberships.find(({ account }) => account === accountId)?.role;
  return {
    ...scope,
    query: accountId === null ? {} : { account_id: accountId },
    isOperator: me.operator,
    isMember: role !== undefined,
    mayWrite: me.operator || role === 'owner' || role === 'member',
    mayOwn: me.operator || role === 'owner',
  };
}

/** The account in question, on pages that are about one. */
export function useAccountId(): string {
  const { accountId } = useContext(Context);
  if (accountId === null) throw new Error('This page is about an account.');
  return accountId;
}
