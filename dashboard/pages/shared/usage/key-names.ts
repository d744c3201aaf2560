import { useMemo } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { useScope } from '../../../shell/scope.tsx';

const MOST = 1_000;

/** Returns the names of the account's keys by id, including revoked ones, as far as one page of them goes. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { query, accountId } = useScope();
  const keys = useApi('listKeys', { query: { ...query, limit: MOST } }, { enabled: accountId !== null });
  return useMemo(
    () => new Map((keys.data?.data ?? []).map(({ id, name }) => [id, name === '' ? id : name])),
    [keys.data],
  );
}
