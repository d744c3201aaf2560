import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { argumentsOfInput, FreeformReader, inputOfArguments } from './freeform-input.ts';

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\t', '\u0007', '{', '}', 'ü', '🧮', '\u2028', 'u', '/'),
});

/** Splits a text into pieces of these lengths, repeated. */
function piecesOf(whole: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(whole.slice(at, at + length));
    at += length;
  }
  return pieces;
}

test('a text is restored at any split', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (input, lengths, ascii) => {
        const json = argumentsOfInput(input);
        const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
        const written = ascii ? json.replace(/[\u0080-\uffff]/g, escaped) : json;
        const reader = new FreeformReader();
        const read = piecesOf(written, lengths).map((piece) => reader.push(piece));
        read.push(reader.end());
        expect(read.join('')).toBe(input);
        expect(read.every((piece) => piece.isWellFormed())).toBe(true);
        expect(inputOfArguments(written)).toBe(input);
      },
    ),
  );
});

test('a text is sent as it grows', () => {
  const reader = new FreeformReader();
  expect(['{"in', 'put": "*** Be', 'gin\\', 'nPatch', '"}'].map((piece) => reader.push(piece))).toEqual([
    '',
    '*** Be',
    'gin',
    '\nPatch',
    '',
  ]);
  expect(reader.end()).toBe('');
});

const patch = `*** Begin Patch\n*** Update File: a.ts\n${'+line\n'.repeat(20)}*** End Patch`;

test.each([
  ['bare text', patch, patch],
  ['a parameter of another name', JSON.stringify({ patch }), patch],
  ['another member first', JSON.stringify({ n: 1, input: patch }), patch],
  ['a JSON string', JSON.stringify(patch), patch],
  ['members that are not strings', '{"a":1,"b":2}', '{"a":1,"b":2}'],
  ['no arguments', '', ''],
  ['an empty object', '{}', ''],
  ['white space around', ' {\n "input" : "a" }\n', 'a'],
  ['truncated arguments', '{"input":"a\\n\\u00', 'a\n'],
  ['an invalid escape', '{"input":"\\d+"}', '\\d+'],
])('%s', (_name, written, input) => {
  expect(inputOfArguments(written)).toBe(input);
  const reader = new FreeformReader();
  const read = [...written].map((char) => reader.push(char));
  expect(read.join('') + reader.end()).toBe(input);
});
