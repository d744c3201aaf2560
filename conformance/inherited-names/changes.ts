/** Names that every JavaScript object inherits something by. */
export const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const MARK = 'a mark';

/** Members keep their names here: an assignment would make no member of `__proto__`. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every object gets the member too, with what would change a prototype. */
export function withMember(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withMember(one, name));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([key, member]) => [key, withMember(member, name)] as const);
  return objectOf([...inner, [name, { mark: MARK }]]);
}

/** The text at one place becomes the name; `null` past the last one. */
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

/** What a body becomes with the name in it: beside every member, and as each of its texts. */
export function* changesOf(body: unknown, name: string): Generator<unknown> {
  yield withMember(body, name);
  for (let place = 0; ; place++) {
    const changed = withText(body, name, place);
    if (changed === null) return;
    yield changed;
  }
}
