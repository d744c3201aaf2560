/** Names that every JavaScript object inherits. */
export const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const MARK = 'a mark';

/** Unlike an assignment, this also makes `__proto__` a member. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds the member to every object, with a value that would change a prototype. */
export function withMember(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withMember(one, name));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([key, member]) => [key, withMember(member, name)] as const);
  return objectOf([...inner, [name, { mark: MARK }]]);
}

/** Replaces the text at one place with the name; returns `null` past the last text. */
function withText(value: unknown, name: string, place: number): unknown {
  let at = -1;
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return ++at === place ? name : one;
    if (Array.isArray(one)) return one.map(walk);
    return isObject(one) ? objectOf(Object.entries(one).map(([key, member]) => [key, walk(member)])) : one;
  };
  const changed = walk(value);
  return at >= place ? changed : null;
}

/** Yields the variants of a body with the name: beside every member, and instead of each text. */
export function* changesOf(body: unknown, name: string): Generator<unknown> {
  yield withMember(body, name);
  for (let place = 0; ; place++) {
    const changed = withText(body, name, place);
    if (changed === null) return;
    yield changed;
  }
}
