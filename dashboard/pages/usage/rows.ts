import type { UsageBreakdown } from '../../api/schema.ts';
import { filterOf, type Group, type GroupIds } from '../shared/usage/groups.ts';
import type { DetailedSums } from '../shared/usage/metrics.ts';

export interface TableRow {
  readonly key: string;
  readonly sums: DetailedSums;
  /** The group of the row; `null` for the others and the total. */
  readonly group: Group | null;
  readonly ids: GroupIds;
  /** The row of the first group that this one divides. */
  readonly parent: GroupIds | null;
  readonly kind: 'group' | 'others' | 'total';
}

/** Returns the lines of the table: each group, followed by those within it, then the others and the total. */
export function tableRows({ data, others, total }: UsageBreakdown, by: Group, within: Group | null): TableRow[] {
  const rows = data.flatMap((row, place): TableRow[] => {
    const line = { key: `${place}`, sums: row, group: by, ids: row, parent: null, kind: 'group' as const };
    if (row.within === null || within === null) return [line];
    const parts = row.within.data.map((part, index): TableRow => {
      return { key: `${place}/${index}`, sums: part, group: within, ids: part, parent: row, kind: 'group' };
    });
    const rest: TableRow[] = row.within.others === null ? [] : [restOf(`${place}/others`, row.within.others, row)];
    return [line, ...parts, ...rest];
  });
  return [
    ...rows,
    ...(others === null ? [] : [restOf('others', others, null)]),
    { key: 'total', sums: total, group: null, ids: {}, parent: null, kind: 'total' },
  ];
}

function restOf(key: string, sums: DetailedSums, parent: GroupIds | null): TableRow {
  return { key, sums, group: null, ids: {}, parent, kind: 'others' };
}

/** Returns the address parameters that narrow the page down to a row; `null` for requests without its group. */
export function narrowedTo({ group, ids, parent }: TableRow, by: Group): Readonly<Record<string, string>> | null {
  if (group === null) return null;
  const own = filterOf(group, ids);
  const outer = parent === null ? undefined : filterOf(by, parent);
  if (own === null || outer === null) return null;
  return { ...(outer && { [outer.name]: outer.value }), [own.name]: own.value };
}

/**
 * Returns the group by which to look into a row.
 *
 * @param isOfAll whether the row is of all accounts, whose usage has no keys
 */
export function nextGroup(row: TableRow, by: Group, within: Group | null, isOfAll: boolean): Group {
  if (row.parent === null && within !== null) return within;
  const groups = isOfAll ? (['account', 'model', 'channel', 'status'] as const) : (['key', 'model', 'status'] as const);
  return groups.find((group) => group !== by && group !== within) ?? 'status';
}
