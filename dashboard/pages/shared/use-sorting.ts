import { useMemo } from 'react';
import type { Sorting } from '../../kit/table.tsx';
import { useSearchState } from '../../shell/search.ts';

interface SortingInUse<Name extends string> {
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
  /** The query of a list that the server sorts. */
  readonly query: { readonly sort?: Name; readonly order?: 'asc' | 'desc' };
}

/** Returns the order of a list in the address. The names are columns of the table and orders of the API. */
export function useSorting<const Names extends readonly string[]>(names: Names): SortingInUse<Names[number]> {
  const { values, set } = useSearchState(['sort', 'order']);
  return useMemo(() => {
    const sort = names.find((name) => name === values.sort);
    const order = values.order === 'desc' ? 'desc' : 'asc';
    return {
      sorting: sort === undefined ? null : { id: sort, isDown: order === 'desc' },
      onSort: (next) => set({ sort: next?.id ?? '', order: next === null ? '' : next.isDown ? 'desc' : 'asc' }),
      query: sort === undefined ? {} : { sort, order },
    };
  }, [names, values, set]);
}
