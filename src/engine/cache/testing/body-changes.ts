/* Changes of a JSON body: one at a time in each place, and respellings that change nothing. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface BodyChange {
  /** The place, such as `messages[0].content`. */
  readonly path: string;
  readonly kind: 'changed' | 'removed' | 'added' | 'swapped';
  /** The previous value. */
  readonly was: Json;
  readonly body: Json;
}

type Keys = readonly (string | number)[];

function pathOf(keys: Keys): string {
  return keys.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  );
}

function put(body: Json, keys: Keys, change: (value: Json) => Json): Json {
  const [key, ...further] = keys;
  if (key === undefined) return change(body);
  if (Array.isArray(body)) return body.map((one, index) => (index === key ? put(one, further, change) : one));
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).map(([name, value]) => [
    name,
    name === key ? put(value, further, change) : value,
  ]);
  return Object.fromEntries(members);
}

function* places(value: Json, keys: Keys = []): Generator<readonly [Keys, Json]> {
  yield [keys, value];
  const members: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((one, index) => [index, one] as const)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  for (const [key, member] of members) yield* places(member, [...keys, key]);
}

function otherLeaf(value: Json): Json {
  switch (typeof value) {
    case 'string':
      return `${value}x`;
    case 'number':
      return value === 0 ? 0.5 : value / 2;
    case 'boolean':
      return !value;
    default:
      return 'x';
  }
}

/**
 * Yields bodies in which one leaf has another value, one member or element is missing, one object has an unknown member, or two neighbours
 * are swapped.
 */
export function* changesOf(body: Json): Generator<BodyChange> {
  for (const [keys, was] of places(body)) {
    const at = (kind: BodyChange['kind'], place: Keys, old: Json, changed: Json) => ({
      ...{ path: pathOf(place), kind, was: old },
      body: put(body, keys, () => changed),
    });
    if (Array.isArray(was)) {
      for (const [index, one] of was.entries()) {
        const place = [...keys, index];
        yield at('removed', place, one, was.toSpliced(index, 1));
        const next = was[index + 1];
        if (next === undefined || JSON.stringify(one) === JSON.stringify(next)) continue;
        yield at('swapped', place, one, was.with(index, next).with(index + 1, one));
      }
    } else if (typeof was === 'object' && was !== null) {
      for (const [name, member] of Object.entries(was)) {
        const { [name]: _, ...others } = was;
        yield at('removed', [...keys, name], member, others);
      }
      yield at('added', keys, was, { ...was, unheard_of: 'x' });
    } else if (was !== null) yield at('changed', keys, was, otherLeaf(was));
  }
}

/** Returns the same JSON value with other member order, white space, escapes and number spellings. */
export function respelled(value: Json, random: () => number): string {
  const space = () => ' \n\t'.slice(0, Math.floor(random() * 4));
  const list = (open: string, items: readonly string[], close: string) =>
    `${open}${space()}${items.join(`${space()},${space()}`)}${space()}${close}`;
  switch (typeof value) {
    case 'string':
      return quoted(value, random);
    case 'number':
      return numberAs(value, random);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value))
        return list(
          '[',
          value.map((one) => respelled(one, random)),
          ']',
        );
      return list(
        '{',
        shuffled(Object.entries(value), random).map(
          ([name, one]) => `${quoted(name, random)}${space()}:${space()}${respelled(one, random)}`,
        ),
        '}',
      );
    default:
      return String(value);
  }
}

function quoted(text: string, random: () => number): string {
  if (random() < 0.5) return JSON.stringify(text);
  const units = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${units.join('')}"`;
}

function numberAs(value: number, random: () => number): string {
  const plain = JSON.stringify(value);
  if (random() < 0.5) return plain;
  return Number.isInteger(value) && !plain.includes('e') ? `${plain}.0` : value.toExponential();
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}
