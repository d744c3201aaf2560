import { AdminError } from './admin-error.ts';
import { sameValue } from './same-value.ts';

type Words = Readonly<Record<string, unknown>>;

/** The fields in which two objects of one kind differ, in the words of their schema. */
export function differences(one: Words, other: Words): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !sameValue(one[name], other[name]));
}

/** Creating what is there with the same content is done already; with another content it throws `AdminError`. */
export function refuseOther(label: string, existing: Words, wanted: Words): void {
  const fields = differences(existing, wanted);
  if (fields.length === 0) return;
  throw new AdminError(
    'already_exists',
    'id',
    `the ${label} already exists, with another ${fields.join(', ')}; change it, or choose another id`,
  );
}
