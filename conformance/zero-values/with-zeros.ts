import { isObject } from '../shared/json.ts';
import { type Fields, type Zeros, zeroOf } from './published-fields.ts';

/** The members to add: all missing ones, or the one at this path (`choices[].message.function_call`). */
export type Wanted = string | 'all';

/**
 * Returns the value with the zero of each wanted member that is missing, at every depth. Existing members
 * stay.
 */
export function withZeros(value: unknown, fields: Fields, zeros: Zeros, wanted: Wanted, path = ''): unknown {
  if (Array.isArray(value)) {
    const { items } = fields;
    return items === null ? value : value.map((item) => withZeros(item, items, zeros, wanted, `${path}[]`));
  }
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = fields.members.get(name);
    result[name] = known === undefined ? member : withZeros(member, known, zeros, wanted, joined(path, name));
  }
  for (const [name, member] of fields.members) {
    if (name in value || member.kind === 'unknown') continue;
    if (wanted === 'all' || wanted === joined(path, name)) result[name] = zeroOf(member, zeros);
  }
  return result;
}

/** Returns the path of every member that could be added somewhere in the value. */
export function missingPaths(value: unknown, fields: Fields, path = '', found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) {
    for (const item of value) if (fields.items !== null) missingPaths(item, fields.items, `${path}[]`, found);
  } else if (isObject(value)) {
    for (const [name, member] of fields.members) {
      if (name in value) missingPaths(value[name], member, joined(path, name), found);
      else if (member.kind !== 'unknown') found.add(joined(path, name));
    }
  }
  return found;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
