import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useScope } from '../../shell/scope.tsx';

const MOST = 1_000;

/** The names of the account's keys by their ids; of all accounts together none are known. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { query, accountId } = useScope();
  const keys = useApi('listKeys', { query: { ...query, limit: MOST } }, { enabled: accountId !== null });
  return useMemo(
    () => new Map((keys.data?.data ?? []).map(({ id, name }) => [id, name === '' ? id : name])),
    [keys.data],
  );
}
