/** Groups of channels with the same priority, which share the traffic. */
export type Groups = readonly (readonly string[])[];

interface Placed {
  readonly id: string;
  readonly priority: number;
}

/** Groups a list that is in priority order. */
export function groupsOf(channels: readonly Placed[]): Groups {
  const groups: { priority: number; ids: string[] }[] = [];
  for (const { id, priority } of channels) {
    const last = groups.at(-1);
    if (last?.priority === priority) last.ids.push(id);
    else groups.push({ priority, ids: [id] });
  }
  return groups.map(({ ids }) => ids);
}

/**
 * Returns the groups after one channel was moved within the list: between two channels of one group it joins them, elsewhere it forms its
 * own. Other groups stay as they were.
 */
export function movedIn(groups: Groups, order: readonly string[], moved: string): Groups {
  const groupOf = new Map(groups.flatMap((ids, at) => ids.map((id) => [id, at] as const)));
  const at = order.indexOf(moved);
  const [before, after] = [order[at - 1], order[at + 1]].map((id) => (id === undefined ? undefined : groupOf.get(id)));
  const joined = before !== undefined && before === after ? before : null;
  const result: { group: number | null; ids: string[] }[] = [];
  for (const id of order) {
    const group = id === moved ? joined : (groupOf.get(id) ?? null);
    const last = result.at(-1);
    if (last && group !== null && last.group === group) last.ids.push(id);
    else result.push({ group, ids: [id] });
  }
  return result.map(({ ids }) => ids);
}

/** Merges the channel's group with the one above. */
export function joinedAbove(groups: Groups, id: string): Groups {
  const at = groups.findIndex((ids) => ids.includes(id));
  const [above, own] = [groups[at - 1], groups[at]];
  if (above === undefined || own === undefined) return groups;
  return groups.toSpliced(at - 1, 2, [...above, ...own]);
}

/** Moves the channel into its own group after its current one. */
export function setApart(groups: Groups, id: string): Groups {
  const at = groups.findIndex((ids) => ids.includes(id));
  const rest = groups[at]?.filter((one) => one !== id) ?? [];
  return rest.length === 0 ? groups : groups.toSpliced(at, 1, rest, [id]);
}
