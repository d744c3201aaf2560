/** The values of each member of a request; `undefined` omits the member. */
export type MemberValues = Readonly<Record<string, readonly unknown[]>>;

type Pick = readonly [member: string, index: number];

const keyOf = ([a, i]: Pick, [b, j]: Pick) => (a < b ? `${a}:${i}|${b}:${j}` : `${b}:${j}|${a}:${i}`);

/**
 * Returns a small set of requests in which every pair of values of different members occurs: most defects involve at most two members. The
 * order is deterministic.
 */
export function allPairs(values: MemberValues): readonly Readonly<Record<string, unknown>>[] {
  const members = Object.keys(values).sort((a, b) => (values[b]?.length ?? 0) - (values[a]?.length ?? 0));
  const open = new Set<string>();
  for (const [at, a] of members.entries()) {
    for (const b of members.slice(at + 1)) {
      for (const i of values[a]?.keys() ?? []) for (const j of values[b]?.keys() ?? []) open.add(keyOf([a, i], [b, j]));
    }
  }
  const rows: Readonly<Record<string, unknown>>[] = [];
  while (open.size > 0) {
    const row = nextRow(members, values, open);
    for (const [at, one] of row.entries()) for (const other of row.slice(at + 1)) open.delete(keyOf(one, other));
    rows.push(Object.fromEntries(row.map(([member, index]) => [member, values[member]?.[index]])));
  }
  return rows;
}

/** Starts with an uncovered pair, and sets each further member to the value that covers most pairs. */
function nextRow(members: readonly string[], values: MemberValues, open: ReadonlySet<string>): readonly Pick[] {
  const [first = ''] = open;
  const row: Pick[] = first.split('|').map((part): Pick => {
    const at = part.lastIndexOf(':');
    return [part.slice(0, at), Number(part.slice(at + 1))];
  });
  for (const member of members) {
    if (row.some(([name]) => name === member)) continue;
    const closed = (index: number) => row.filter((one) => open.has(keyOf(one, [member, index]))).length;
    const indexes = [...(values[member]?.keys() ?? [])];
    const best = indexes.reduce((found, index) => (closed(index) > closed(found) ? index : found), 0);
    row.push([member, best]);
  }
  return row;
}
