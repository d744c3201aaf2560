import { useMemo } from 'react';
import { useScope } from '../../../shell/scope.tsx';
import { useSearchState } from '../../../shell/search.ts';

/** The filters of usage, by their names in the address and the API. */
export const USAGE_FILTERS = ['key', 'model', 'tag', 'channel', 'status'] as const;
export type UsageFilter = (typeof USAGE_FILTERS)[number];

export interface UsageFiltersInUse {
  readonly values: Readonly<Record<UsageFilter, string>>;
  /** The given ones, for the API and for links to other pages. */
  readonly query: Readonly<Partial<Record<UsageFilter, string>>>;
  set(changes: Partial<Record<UsageFilter, string>>): void;
}

/** Returns the filters in the address. Those for keys and tags need an account. */
export function useUsageFilters(): UsageFiltersInUse {
  const { accountId } = useScope();
  const { values, set } = useSearchState(USAGE_FILTERS);
  return useMemo(() => {
    const isUsable = (name: UsageFilter) => accountId !== null || (name !== 'key' && name !== 'tag');
    const given = USAGE_FILTERS.filter((name) => values[name] !== '' && isUsable(name));
    return { values, query: Object.fromEntries(given.map((name) => [name, values[name]])), set };
  }, [values, set, accountId]);
}

/** Returns the filters for the API, where the status is a number. */
export function statusOf({ status, ...query }: UsageFiltersInUse['query']) {
  return { ...query, ...(status !== undefined && { status: Number(status) }) };
}
