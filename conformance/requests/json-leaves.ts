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
  const leaves: Leaf[] = [];
  addLeaves(leaves, value, path, key);
  return leaves;
}

function addLeaves(leaves: Leaf[], value: unknown, path: string, key: string): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) addLeaves(leaves, one, `${path}[${index}]`, key);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) addLeaves(leaves, value[name], path === '' ? name : `${path}.${name}`, name);
  } else if (value !== '' && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')) {
    leaves.push({ path, key, value });
  }
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
