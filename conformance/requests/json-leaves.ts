import { isObject, parseJson } from '../shared/json.ts';

/** A string, number or boolean in a JSON body. */
export interface Leaf {
  /** The path as in losses: `messages[2].content[0].text`. */
  readonly path: string;
  /** The nearest member name, such as `text`; for an item of a list, the list's name. */
  readonly key: string;
  readonly value: string | number | boolean;
}

/** Returns all leaves in the body's order, without nulls and empty strings, lists and objects. */
export function leavesOf(value: unknown, path = '', key = ''): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesOf(one, `${path}[${index}]`, key));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      leavesOf(member, path === '' ? name : `${path}.${name}`, name),
    );
  }
  if (typeof value === 'string') return value === '' ? [] : [{ path, key, value }];
  return typeof value === 'number' || typeof value === 'boolean' ? [{ path, key, value }] : [];
}

/** The same, and also the leaves of each string that is itself the JSON text of an object or a list. */
export function leavesWithin(value: unknown): readonly Leaf[] {
  return leavesOf(value).flatMap((leaf) => [leaf, ...innerLeaves(leaf)]);
}

/**
 * Returns the leaves of a string that is JSON text (tool arguments, tool results); none if it is other text.
 */
export function innerLeaves({ path, key, value }: Leaf): readonly Leaf[] {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return [];
  const inner = parseJson(value);
  return typeof inner === 'object' && inner !== null ? leavesOf(inner, path, key) : [];
}

/** Returns whether `field` is `path` or contains it. */
export function covers(field: string, path: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns whether the body has something at the path; `named` normalizes the spelling of both. */
export function hasPath(body: unknown, path: string, named: (path: string) => string): boolean {
  const wanted = named(path);
  return pathsOf(body, '').some((existing) => named(existing) === wanted);
}

function pathsOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((one, index) => pathsOf(one, `${path}[${index}]`))];
  if (!isObject(value)) return [path];
  const members = Object.entries(value).flatMap(([name, one]) => pathsOf(one, path === '' ? name : `${path}.${name}`));
  return path === '' ? members : [path, ...members];
}

/** Removes underscores and capitals. */
export function plainPath(path: string): string {
  return path.replaceAll('_', '').toLowerCase();
}
