import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyEdits } from './json-patch.ts';
import { JsonPaths, removalOf } from './json-paths.ts';

const PATHS = new JsonPaths(['a', 'list[].b', 'list[].inner.c', 'inner.c', 'list[].list[].b']);

function without(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return new TextDecoder().decode(applyEdits(bytes, removalOf(bytes, PATHS.find(bytes))));
}

test.each([
  ['{"a":1,"x":1}', '{"x":1}'],
  ['{"x":1,"a":1}', '{"x":1}'],
  [
    '{"list":[{"b":1,"x":12345678901234567890},2,{"inner":{"c":1}}]}',
    '{"list":[{"x":12345678901234567890},2,{"inner":{}}]}',
  ],
  ['{"list":[{"list":[{"b":1}],"b":{"b":1}}],"b":1}', '{"list":[{"list":[{}]}],"b":1}'],
  ['{"list":"b","inner":[{"c":1}]}', '{"list":"b","inner":[{}]}'],
  ['{ "inner" : { "c" : [ 1 ] , "d" : 2 } }', '{ "inner" : { "d" : 2 } }'],
  ['{}', '{}'],
])('%s becomes %s', (before, after) => expect(without(before)).toBe(after));

test('the named members are removed anywhere, and the rest of the value stays', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'inner', 'list', 'x');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, null, true, '}"{', 'a'), tie('object'), tie('list')),
    object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    list: fc.array(tie('value'), { maxLength: 3 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.constantFrom(undefined, 2), (body, indent) => {
      const removed = JSON.parse(without(JSON.stringify(body, null, indent)));
      expect(removed).toEqual(expected(body, ['a', 'list[].b', 'list[].inner.c', 'inner.c', 'list[].list[].b']));
    }),
  );
});

type Value = Readonly<Record<string, unknown>>;

function expected(value: unknown, paths: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value as Value).filter(([name]) => !paths.includes(name));
  return Object.fromEntries(
    kept.map(([name, inner]) => {
      const below = paths.flatMap((path) => {
        const [first = '', ...rest] = path.split('.');
        return first.replace('[]', '') === name && rest.length > 0 ? [rest.join('.')] : [];
      });
      return [name, Array.isArray(inner) ? inner.map((item) => expected(item, below)) : expected(inner, below)];
    }),
  );
}
