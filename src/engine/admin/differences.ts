import { AdminError } from './admin-error.ts';
import { sameValue } from './same-value.ts';

type Words = Readonly<Record<string, unknown>>;

/** Returns the fields in which two objects of one kind differ, in the form of their schema. */
export function differences(one: Words, other: Words): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !sameValue(one[name], other[name]));
}

/** Throws `AdminError` if the existing object differs from the wanted one; creating an equal one is idempotent. */
export function refuseOther(label: string, existing: Words, wanted: Words): void {
  const fields = differences(existing, wanted);
  if (fields.length === 0) return;
  throw new AdminError(
    'already_exists',
    'id',
    `the ${label} already exists with a different ${fields.join(', ')}; change it, or choose another id`,
  );
}
