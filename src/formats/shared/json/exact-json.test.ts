import { describe, expect, test } from 'bun:test';
import { exactObject, exactOf, jsonOf, keepText, objectInOrder, parseAnswerJson } from './exact-json.ts';

const HARD = [
  '{"a":12345678901234567890}',
  '{"a":[1.0,1e5,1E+5,-0,0.10,-12.50,1e400]}',
  '{"b":1,"10":{"z":0,"2":[],"1":{}},"2":"x"}',
  '{"x":"1.0 and \\"5\\": 2","y":1.0}',
  '{"é\\n":1.0,"\\u0031":2,"a":1}',
];

describe('the text of an object', () => {
  test.each(HARD)('%s is unchanged when rewritten', (text) => {
    const compact = text.replaceAll('\\u0031', '1');
    expect(JSON.stringify(exactObject(text))).toBe(compact);
    expect(jsonOf(parseAnswerJson(text, /./))).toBe(compact);
    expect(JSON.stringify(exactObject(text.replaceAll(':', ' :\n ').replace('"5\\" :\n  2', '"5\\": 2')))).toBe(
      compact,
    );
  });

  test('is kept separately for an object within a value', () => {
    const value = parseAnswerJson('{"calls":[{"args":{"n":1.0}},{"args":{"n":1}}]}', /calls/) as never;
    const [first, second] = (value as { calls: { args: object }[] }).calls;
    expect([jsonOf(first?.args), jsonOf(second?.args)]).toEqual(['{"n":1.0}', '{"n":1}']);
    expect(exactOf(second)).toBe(second as never);
  });

  test('is kept by a copy of the members, below them', () => {
    const exact = exactObject('{"type":"object","properties":{"10":{},"2":{"minimum":1.0}}}');
    expect(JSON.stringify({ ...exact, title: 't' })).toBe(
      '{"type":"object","properties":{"10":{},"2":{"minimum":1.0}},"title":"t"}',
    );
  });

  test('is unchanged for random texts', () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const words = ['1.0', '1', '"a"', '-0', '9007199254740993', '1e2', 'true', 'null', '"\\\\"', '0.5', '""'];
    const make = (depth: number): string => {
      const kind = depth === 0 ? 0 : random(3);
      if (kind === 0) return words[random(words.length)] ?? '1';
      if (kind === 1) return `[${Array.from({ length: random(4) }, () => make(depth - 1)).join(',')}]`;
      const names = new Set(
        Array.from({ length: random(4) }, () => String([10, 2, 'a', 'b', '03', 4294967295][random(6)])),
      );
      return `{${[...names].map((name) => `"${name}":${make(depth - 1)}`).join(',')}}`;
    };
    for (let count = 0; count < 500; count++) {
      const text = `{"top":${make(4)}}`;
      expect(JSON.stringify(exactObject(text))).toBe(text);
      const value: unknown = JSON.parse(text);
      keepText(value, text);
      expect(jsonOf(value)).toBe(text);
    }
  });

  test('is null for a value that is not an object', () => {
    expect([exactObject('[1.0]'), exactObject('1.0'), exactObject('{'), exactObject('')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('keeps a given order of members', () => {
    expect(
      JSON.stringify(
        objectInOrder([
          ['2', 1],
          ['1', 2],
        ]),
      ),
    ).toBe('{"2":1,"1":2}');
  });
});
