import type { SettingWords } from '../../ports/settings-store.ts';

/** The fields of a section by path, such as `semantic.certainty`. Lists are values. */
export type Leaves = ReadonlyMap<string, unknown>;

/** Returns all fields that are set; `null` does not count as set. */
export function leavesOf(words: SettingWords, prefix = ''): Leaves {
  const leaves = new Map<string, unknown>();
  for (const [name, value] of Object.entries(words)) {
    if (value === undefined || value === null) continue;
    if (!isMap(value)) leaves.set(prefix + name, value);
    else for (const [path, leaf] of leavesOf(value, `${prefix}${name}.`)) leaves.set(path, leaf);
  }
  return leaves;
}

/** Returns the section that has these fields. */
export function wordsOfLeaves(leaves: Leaves): SettingWords {
  const words: Record<string, unknown> = {};
  for (const [path, value] of leaves) {
    const parts = path.split('.');
    const last = parts.pop() ?? path;
    let at = words;
    for (const part of parts) {
      const known = at[part];
      const next: Record<string, unknown> = isMap(known) ? { ...known } : {};
      at[part] = next;
      at = next;
    }
    at[last] = value;
  }
  return words;
}

/** Returns the fields of both; `over` takes precedence. */
export function layered(under: SettingWords, over: SettingWords): SettingWords {
  return wordsOfLeaves(new Map([...leavesOf(under), ...leavesOf(over)]));
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
