import type { RestField } from '../../../domain/exchange/request.ts';

/** The reason for leaving out a member that the gateway's version of the format does not have. */
const UNKNOWN_MEMBER = 'the field is unknown, so it is sent only to an upstream of the same format';

/** Returns a member's path; an empty name is shown quoted. */
function pathOf(path: string, key: string): string {
  if (key === '') return `${path}[""]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The reason for leaving out a value that does not have its field's type. */
const ODD_VALUE = 'the value of the field is unknown, so it is sent only to an upstream of the same format';

/** Notes a member whose value the decoder cannot use. */
export function noteOdd(
  object: Readonly<Record<string, unknown>>,
  key: string,
  isKnown: (value: unknown) => boolean,
  path: string,
  rest: RestField[],
): void {
  const value = object[key];
  if (value === null || value === undefined || isKnown(value)) return;
  rest.push({ path: pathOf(path, key), value, verdict: 'dropped', why: ODD_VALUE });
}

/**
 * Adds to `rest` the members of an object that `known` does not name. `path` is the object's own path, empty for the body. A
 * `null` counts as absent.
 */
export function noteUnknown(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  path: string,
  rest: RestField[],
): void {
  for (const key in object) {
    const value = object[key];
    if (known.has(key) || value === null || value === undefined) continue;
    rest.push({ path: pathOf(path, key), value, verdict: 'dropped', why: UNKNOWN_MEMBER });
  }
}

type Reason = Pick<RestField, 'verdict' | 'why'>;

export function addRest(rest: RestField[], path: string, value: unknown, { verdict, why }: Reason): void {
  if (value !== undefined && value !== null) rest.push({ path, value, verdict, why });
}
