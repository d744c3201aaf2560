import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyEdits } from './json-patch.ts';
import { MemberNames, parseSpan, scanObject } from './json-scan.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Returns a value as JSON with random white space between all tokens. */
function spaced(value: unknown, spaces: () => string): string {
  if (Array.isArray(value))
    return `[${spaces()}${value.map((item) => spaced(item, spaces)).join(`${spaces()},${spaces()}`)}${spaces()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}${spaces()}:${spaces()}${spaced(item, spaces)}`,
    );
    return `{${spaces()}${members.join(`${spaces()},${spaces()}`)}${spaces()}}`;
  }
  return JSON.stringify(value);
}

describe('scanObject', () => {
  test('finds every member of any object, with any white space', () => {
    const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n  ');
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.infiniteStream(gap),
        (object, gaps) => {
          const text = spaced(object, () => gaps.next().value ?? '');
          const bytes = bytesOf(`\n ${text} trailing`);
          const span = scanObject(bytes, 0, new MemberNames(...Object.keys(object).map((key) => key.toWellFormed())));
          expect(span).not.toBeNull();
          expect(textOf(bytes.subarray(span!.start, span!.end))).toBe(text.toWellFormed());
          expect(span!.members.map((member) => parseSpan(bytes, member.valueStart, member.valueEnd))).toEqual(
            Object.values(JSON.parse(text.toWellFormed())),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('finds a key written with escapes', () => {
    const bytes = bytesOf('{"mod\\u0065l":"a","x":{"model":"inner"}}');
    const span = scanObject(bytes, 0, new MemberNames('model'));
    expect(span?.members.map((member) => parseSpan(bytes, member.valueStart, member.valueEnd))).toEqual(['a']);
  });

  test('skips long strings with quotes, backslashes and brackets', () => {
    const tricky = `${'x'.repeat(100)}\\"}]{[\\\\`.repeat(50);
    const bytes = bytesOf(JSON.stringify({ a: tricky, b: [tricky, { c: tricky }], model: 'm' }));
    const span = scanObject(bytes, 0, new MemberNames('model'));
    expect(parseSpan(bytes, span!.members[0]!.valueStart, span!.members[0]!.valueEnd)).toBe('m');
    expect(span!.end).toBe(bytes.length);
  });

  test.each(['', '<html>', '[1]', '{"a":1', '{"a"', '{"a":', '{a:1}', '{"a":"x', '{"a":[1,2}', 'null', '{"a":1,,}'])(
    'refuses %p',
    (text) => {
      expect(scanObject(bytesOf(text), 0, new MemberNames('a'))).toBeNull();
    },
  );

  test('reports a repeated name twice', () => {
    expect(scanObject(bytesOf('{"a":1,"a":2}'), 0, new MemberNames('a'))?.members).toHaveLength(2);
  });
});

test('applyEdits changes only the named ranges', () => {
  const edits = [
    { start: 0, end: 0, text: 'ä' },
    { start: 2, end: 4, text: '' },
    { start: 5, end: 6, text: '12345' },
  ];
  expect(textOf(applyEdits(bytesOf('abcdefg'), edits))).toBe('äabe12345g');
});
