import { createContext, useContext } from 'react';
import type { Me } from '../api/schema.ts';
import { lastAccountOf } from './last-account.ts';
import { useSession } from './session.tsx';

/** The subject of the pages: one account, or the whole gateway for operators. */
export interface Scope {
  /** `null` for all accounts. */
  readonly accountId: string | null;
  /** The base path of this scope's pages: `/app/a/<account>` or `/app/operator`. */
  readonly base: string;
}

const Context = createContext<Scope>({ accountId: null, base: '/app/operator' });

export const ScopeProvider = Context.Provider;

export function scopeOf(accountId: string | null): Scope {
  return { accountId, base: accountId === null ? '/app/operator' : `/app/a/${encodeURIComponent(accountId)}` };
}

export interface ScopeInUse extends Scope {
  /** The query parameter that names the account; empty for all accounts. */
  readonly query: { readonly account_id?: string };
  readonly isOperator: boolean;
  /** Whether the person belongs to the account; an operator may view others, too. */
  readonly isMember: boolean;
  /** Whether the person may create and change keys: members, owners, operators. */
  readonly mayWrite: boolean;
  /** Whether the person is an owner or operator. */
  readonly mayOwn: boolean;
}

export function useScope(): ScopeInUse {
  const scope = useContext(Context);
  const { me } = useSession();
  return scopeInUse(scope, me);
}

/** Returns the account whose pages the navigation lists: the one in question, else the person's own. `null` if there is neither. */
export function useAccountScope(): ScopeInUse | null {
  const scope = useContext(Context);
  const { me } = useSession();
  if (scope.accountId !== null) return scopeInUse(scope, me);
  const own = lastAccountOf(me);
  return own === null ? null : scopeInUse(scopeOf(own), me);
}

function scopeInUse(scope: Scope, me: Me): ScopeInUse {
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

/** Returns the account of pages that are about one. Throws on others. */
export function useAccountId(): string {
  const { accountId } = useContext(Context);
  if (accountId === null) throw new Error('This page requires an account.');
  return accountId;
}
