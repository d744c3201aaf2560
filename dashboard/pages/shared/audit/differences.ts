export interface FieldChange {
  /** The path, such as `budget.usd`. */
  readonly path: string;
  /** Undefined if not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Words = Readonly<Record<string, unknown>>;

/** Returns the fields that differ, by path. */
export function differencesOf(before: Words | null, after: Words | null): readonly FieldChange[] {
  const [first, second] = [leavesOf(before ?? {}), leavesOf(after ?? {})];
  const paths = [...new Set([...first.keys(), ...second.keys()])].sort();
  return paths
    .map((path) => ({ path, before: first.get(path), after: second.get(path) }))
    .filter((change) => change.before !== change.after);
}

function leavesOf(words: Words, prefix = ''): Map<string, string> {
  const leaves = new Map<string, string>();
  for (const [name, value] of Object.entries(words)) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [path, leaf] of leavesOf(value as Words, `${prefix}${name}.`)) leaves.set(path, leaf);
    } else leaves.set(prefix + name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return leaves;
}
