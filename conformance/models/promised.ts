import { isObject } from '../shared/json.ts';

type RequiredKeys<T> = keyof { [Key in keyof T as object extends Pick<T, Key> ? never : Key]: true };

/**
 * The members that a type of an SDK promises, at all depths. They are written out in the test, which does not compile
 * when a new version of the SDK promises more.
 */
export type Promised<T> = T extends readonly unknown[]
  ? true
  : T extends object
    ? { readonly [Key in RequiredKeys<T>]: Promised<NonNullable<T[Key]>> }
    : true;

type AnyPromised = true | { readonly [key: string]: AnyPromised };

/** Returns the paths of promised members that are missing; a null member is present and has no members. */
export function unkept(promised: AnyPromised, value: unknown, path = ''): string[] {
  if (value === undefined) return [path];
  if (promised === true || value === null) return [];
  if (!isObject(value)) return [`${path} is no object`];
  return Object.entries(promised).flatMap(([name, inner]) => unkept(inner, value[name], `${path}.${name}`));
}
