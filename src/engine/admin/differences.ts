import { AdminError } from './admin-error.ts';

/**
 * Returns whether two plain values (no cycles, no class instances) are equal. The order of members does not matter, and an undefined member
 * equals an absent one, since a store may have kept the value as JSON.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => sameValue(item, b[at]))
    );
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameValue(own(a, name), own(b, name)));
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields in which two objects of one kind differ, in the form of their schema. */
export function differences(one: Fields, other: Fields): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !sameValue(one[name], other[name]));
}

/** Throws `AdminError` if the existing object differs from the wanted one; creating an equal one is idempotent. */
export function refuseOther(label: string, existing: Fields, wanted: Fields): void {
  const fields = differences(existing, wanted);
  if (fields.length === 0) return;
  throw new AdminError(
    'already_exists',
    'id',
    `the ${label} already exists with a different ${fields.join(', ')}; change it, or choose another id`,
  );
}
