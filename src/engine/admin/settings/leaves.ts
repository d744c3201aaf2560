import type { SettingFields } from '../../ports/settings-store.ts';

/** The fields of a section by path, such as `semantic.certainty`. Lists are values. */
export type Leaves = ReadonlyMap<string, unknown>;

/** Returns all fields that are set; `null` does not count as set. */
export function leavesOf(section: SettingFields, prefix = ''): Leaves {
  const leaves = new Map<string, unknown>();
  for (const [name, value] of Object.entries(section)) {
    if (value === undefined || value === null) continue;
    if (!isMap(value)) leaves.set(prefix + name, value);
    else for (const [path, leaf] of leavesOf(value, `${prefix}${name}.`)) leaves.set(path, leaf);
  }
  return leaves;
}

/** Returns the section that has these fields. */
export function sectionOf(leaves: Leaves): SettingFields {
  const section: Record<string, unknown> = {};
  for (const [path, value] of leaves) {
    const parts = path.split('.');
    const last = parts.pop() ?? path;
    let at = section;
    for (const part of parts) {
      const known = at[part];
      const next: Record<string, unknown> = isMap(known) ? { ...known } : {};
      at[part] = next;
      at = next;
    }
    at[last] = value;
  }
  return section;
}

/** Returns the fields of both; `over` takes precedence. */
export function layered(under: SettingFields, over: SettingFields): SettingFields {
  return sectionOf(new Map([...leavesOf(under), ...leavesOf(over)]));
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
