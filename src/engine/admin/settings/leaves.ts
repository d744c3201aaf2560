import type { SettingWords } from '../../ports/settings-store.ts';

/** One field of a section by its path, such as `semantic.certainty`. Lists are values. */
export type Leaves = ReadonlyMap<string, unknown>;

/** All fields that say something; `null` says nothing. */
export function leavesOf(words: SettingWords, prefix = ''): Leaves {
  const leaves = new Map<string, unknown>();
  for (const [name, value] of Object.entries(words)) {
    if (value === undefined || value === null) continue;
    if (!isMap(value)) leaves.set(prefix + name, value);
    else for (const [path, leaf] of leavesOf(value, `${prefix}${name}.`)) leaves.set(path, leaf);
  }
  return leaves;
}

/** The words again. */
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

/** What both say; where both do, what `over` says. */
export function layered(under: SettingWords, over: SettingWords): SettingWords {
  return wordsOfLeaves(new Map([...leavesOf(under), ...leavesOf(over)]));
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
