import { useQueries } from '@tanstack/react-query';
import { Activity, Boxes, Building2, KeyRound, UserCog } from 'lucide-react';
import { call } from '../api/client.ts';
import { type ReadOptions, useApi } from '../api/use-api.ts';
import type { Command, CommandGroup } from '../kit/command.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { useGo } from './link.tsx';
import { scopeOf, useAccountScope, useScope } from './scope.tsx';
import { useSession } from './session.tsx';
import { type Sought, soughtIn } from './sought.ts';
import { useSettled } from './use-settled.ts';

/** The most objects of one kind that are shown. */
const MOST = 8;
/** An account's members are searched here, since their list has no search. */
const MOST_MEMBERS = 1_000;
const SETTLED_MS = 150;
const NOTHING = {};

export interface Found {
  readonly groups: readonly CommandGroup[];
  /** Whether results may be missing because they are on their way. */
  readonly isSearching: boolean;
  /** Whether results are missing because a list could not be read. */
  readonly hasFailed: boolean;
}

/**
 * Finds keys, models, accounts, people and requests by what is typed: operators everywhere, others in the account that the navigation
 * shows. Each list is asked for a few matches only.
 */
export function useFound(typed: string, isOpen: boolean): Found {
  const text = useText(shellText);
  const settled = useSettled(typed, SETTLED_MS);
  const sought = isOpen ? soughtIn(settled) : NOTHING;
  const accounts = useAccounts(settled, isOpen);
  const reads = [accounts, useRequest(sought), useKeys(sought), useModels(sought), usePeople(sought)];
  const titles = [text.accounts, text.pages.requests, text.pages.keys, text.pages.models, text.people];
  return {
    groups: reads.map(({ items }, index) => ({ title: titles[index] ?? '', items })),
    isSearching: isOpen && (typed !== settled || reads.some(({ isSearching }) => isSearching)),
    hasFailed: reads.some(({ hasFailed }) => hasFailed),
  };
}

interface Read {
  readonly items: readonly Command[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

interface Reading {
  readonly isFetching: boolean;
  readonly isPlaceholderData: boolean;
  readonly isPending: boolean;
  readonly error: { readonly status: number } | null;
}

/** Returns a list for the search. An object that does not exist, or that this person may not read, is not a failure. */
function readOf({ isFetching, isPlaceholderData, isPending, error }: Reading, items: readonly Command[]): Read {
  const isRefused = error !== null && (error.status === 403 || error.status === 404);
  return {
    items,
    isSearching: isFetching && (isPending || isPlaceholderData),
    hasFailed: error !== null && !isRefused,
  };
}

function optionsFor(isWanted: boolean): ReadOptions {
  return { enabled: isWanted, keepPrevious: isWanted };
}

/** Returns the person's accounts; operators find all. */
function useAccounts(typed: string, isOpen: boolean): Read {
  const { me } = useSession();
  const go = useGo();
  const { words } = soughtIn(typed);
  const query = { limit: MOST, ...(words !== undefined && { q: words }) };
  const found = useApi('listAccounts', { query }, optionsFor(isOpen && me.operator));
  const own = me.memberships.map(({ account, name }) => ({ id: account, name }));
  const accounts = me.operator ? (found.data?.data ?? own) : own;
  return readOf(
    found,
    accounts.map(({ id, name }) => ({
      label: name,
      detail: id,
      icon: Building2,
      run: () => go(`${scopeOf(id).base}/overview`),
    })),
  );
}

function useRequest({ requestId }: Sought): Read {
  const { me } = useSession();
  const go = useGo();
  const scope = useScope();
  const account = useAccountScope();
  const isWanted = requestId !== undefined && (me.operator || account !== null);
  const query = me.operator ? NOTHING : (account?.query ?? NOTHING);
  const found = useApi('getRequest', { params: { id: requestId ?? '' }, query }, { enabled: isWanted });
  const { data } = found;
  if (!isWanted || data === undefined) return readOf(found, []);
  const base = data.account === scope.accountId || !me.operator ? (account?.base ?? scope.base) : scopeOf(null).base;
  const run = () => go(`${base}/requests`, { id: data.id });
  return readOf(found, [{ label: data.id, detail: data.model ?? '', icon: Activity, run }]);
}

function useKeys({ words }: Sought): Read {
  const { me } = useSession();
  const go = useGo();
  const account = useAccountScope();
  const isWanted = words !== undefined && (me.operator || account !== null);
  const query = { ...(me.operator ? NOTHING : account?.query), q: words, limit: MOST };
  const found = useApi('listKeys', { query }, optionsFor(isWanted));
  const keys = isWanted ? (found.data?.data ?? []) : [];
  const nameOf = useAccountNames(me.operator ? keys.map((key) => key.account) : []);
  return readOf(
    found,
    keys.map((key) => ({
      label: key.name === '' ? key.id : key.name,
      detail: me.operator ? `${key.preview} · ${nameOf(key.account)}` : key.preview,
      keywords: key.id,
      icon: KeyRound,
      run: () => go(`${scopeOf(key.account).base}/keys`, { id: key.id, state: key.state === 'active' ? '' : 'all' }),
    })),
  );
}

/** Returns a function from an account's id to its name, or to the id while the name is unknown. At most `MOST` accounts are read. */
function useAccountNames(ids: readonly string[]): (id: string) => string {
  const { me } = useSession();
  const own = new Map(me.memberships.map(({ account, name }) => [account, name]));
  const others = [...new Set(ids)].filter((id) => !own.has(id));
  const read = useQueries({
    queries: others.map((id) => ({
      queryKey: ['getAccountById', { params: { id } }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('getAccountById', { params: { id } }, signal),
    })),
  });
  const names = new Map(read.map(({ data }) => [data?.id, data?.name]));
  return (id) => own.get(id) ?? names.get(id) ?? id;
}

/** Finds the models that the account in question may use; in the operators' pages, all. */
function useModels({ words }: Sought): Read {
  const { me } = useSession();
  const go = useGo();
  const scope = useScope();
  const account = useAccountScope();
  const shown = scope.accountId === null && me.operator ? scope : account;
  const isWanted = words !== undefined && shown !== null;
  const found = useApi(
    'listManagedModels',
    { query: { ...shown?.query, q: words, limit: MOST } },
    optionsFor(isWanted),
  );
  return readOf(
    found,
    (isWanted ? (found.data?.data ?? []) : []).map(({ id, name }) => ({
      label: name,
      detail: id,
      icon: Boxes,
      run: () => go(`${shown?.base}/models`, { id }),
    })),
  );
}

/** Finds all users for operators, and an account's members for others. */
function usePeople({ words }: Sought): Read {
  const { me } = useSession();
  const go = useGo();
  const account = useAccountScope();
  const isWanted = words !== undefined;
  const users = useApi('listUsers', { query: { search: words, limit: MOST } }, optionsFor(isWanted && me.operator));
  const isMembers = isWanted && !me.operator && account !== null;
  const query = { ...account?.query, limit: MOST_MEMBERS };
  const members = useApi('listMembers', { query }, { enabled: isMembers });
  const line = ({ name, email }: { readonly name: string; readonly email: string }, run: () => void) => ({
    label: name === '' ? email : name,
    detail: email,
    icon: UserCog,
    run,
  });
  if (me.operator) {
    const found = isWanted ? (users.data?.data ?? []) : [];
    const page = `${scopeOf(null).base}/users`;
    return readOf(
      users,
      found.map((user) => line(user, () => go(page, { id: user.id }))),
    );
  }
  const found = isMembers ? (members.data?.data ?? []) : [];
  return readOf(
    members,
    found.map((member) => line(member, () => go(`${account?.base}/members`))),
  );
}
