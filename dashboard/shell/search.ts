import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

/** The query of the address: texts only. */
export type Search = Readonly<Record<string, string | undefined>>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

export interface SearchState<Name extends string> {
  readonly values: Readonly<Record<Name, string>>;
  /** Changes parameters; an empty text removes one. `replaces` adds no history entry. */
  set(changes: Partial<Record<Name, string>>, replaces?: boolean): void;
}

/** Returns parameters of the address, such as the filters of a list, with `''` for missing ones. */
export function useSearchState<const Names extends readonly string[]>(names: Names): SearchState<Names[number]> {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const key = names.map((name) => `${name}=${search[name] ?? ''}`).join('&');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says whether one of them has changed.
  const values = useMemo(
    () => Object.fromEntries(names.map((name) => [name, search[name] ?? ''])) as Record<Names[number], string>,
    [key],
  );
  const set = useCallback(
    (changes: Partial<Record<string, string>>, replaces = true) => {
      const merged = (before: Search) => {
        const all = { ...before, ...changes };
        return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''));
      };
      void navigate({ to: '.', search: merged as never, replace: replaces, resetScroll: false });
    },
    [navigate],
  );
  return { values, set };
}
