import { expect, test } from 'bun:test';
import { textMembers, withChangeAt, withoutMember, withValue } from './json-text.ts';

const odd = ' { "a" : [1.0, {"model":"inner"}] ,\n"m\\u006fdel"\t:"x\\"}", "a":12345678901234567890 }\n';

test('members are found in order, with duplicates and escaped keys', () => {
  expect(textMembers(odd).map((member) => odd.slice(member.valueStart, member.valueEnd))).toEqual([
    '[1.0, {"model":"inner"}]',
    '"x\\"}"',
    '12345678901234567890',
  ]);
  expect(textMembers(odd).map((member) => member.key)).toEqual(['a', 'model', 'a']);
});

test('replacing a value keeps every other byte', () => {
  expect(withValue(odd, 'model', '"y"')).toBe(odd.replace('"x\\"}"', '"y"'));
});

test('removing a member also removes one comma, wherever it is', () => {
  expect(withoutMember('{"r":{"a":1},"b":2}', 'r')).toBe('{"b":2}');
  expect(withoutMember('{"b":2,"r":{"a":1}\n}', 'r')).toBe('{"b":2\n}');
  expect(withoutMember('{"b":2\n,"r":[] }', 'r')).toBe('{"b":2\n }');
  expect(withoutMember('{"r":null}', 'r')).toBe('{}');
});

test('changing a value at a path keeps every other byte', () => {
  const text = ' { "a" : [1.0, {"b":"x,]"} , [ ] ],"c": 2 }';
  expect(withChangeAt(text, ['a', 1, 'b'], (value) => value.replace('x', 'y'))).toBe(text.replace('x', 'y'));
  expect(withChangeAt(text, ['a', 2], () => '3')).toBe(text.replace('[ ]', '3'));
  for (const path of [['a', 3], ['d'], ['a', 2, 0]]) expect(withChangeAt(text, path, () => '3')).toBe(text);
});
