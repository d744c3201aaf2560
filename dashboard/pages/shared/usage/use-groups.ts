import type { UsageTags } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import type { Range } from '../../../kit/period.ts';
import { useScope } from '../../../shell/scope.tsx';
import { GROUPS, type Group, isPair } from './groups.ts';

const HOUR = 3_600_000;

interface GroupsInUse {
  readonly groups: readonly Group[];
  /** `key=value`, those with the most requests first. */
  readonly tags: readonly string[];
  /** How end users are stored; `null` if it is not known yet, and over all accounts. */
  readonly endUsers: UsageTags['end_users'] | null;
}

/** Returns the groups by which usage can be summed. Usage over all accounts has keys and tags only within each account. */
export function useGroups({ from, to }: Range): GroupsInUse {
  const { accountId, query } = useScope();
  // Whole hours, so that the queries within one share an answer.
  const range = { from: onHour(from, Math.floor), to: onHour(to, Math.ceil) };
  const used = useApi(
    'listUsageTags',
    { query: { ...query, ...range } },
    { enabled: accountId !== null, keepPrevious: true },
  );
  if (accountId === null) return { groups: ['account', 'model', 'channel', 'status'], tags: [], endUsers: null };
  const found = used.data?.data ?? [];
  const own: readonly Group[] = GROUPS.filter((group) => group !== 'account');
  const tagged = found.flatMap(({ key }): Group[] => (key === 'end_user' ? [] : [`tag:${key}`]));
  return {
    groups: [...own, ...tagged],
    tags: found.flatMap(({ key, values }) => values.map(({ value }) => `${key}=${value}`)),
    endUsers: used.data?.end_users ?? null,
  };
}

function onHour(at: string, round: (hours: number) => number): string {
  return new Date(round(Date.parse(at) / HOUR) * HOUR).toISOString();
}

/** Returns the groups by which a group can be divided. */
export function groupsWithin(first: Group, groups: readonly Group[]): readonly Group[] {
  const all: readonly Group[] = first === 'account' ? [...groups, 'key', 'end_user'] : groups;
  return all.filter((group) => isPair(first, group));
}
