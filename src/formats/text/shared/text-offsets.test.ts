import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BoundedSearch, TextOffsets } from './text-offsets.ts';

const text = fc.array(fc.constantFrom('a', 'ü', '語', '😀', 'words '), { maxLength: 3_000 }).map((all) => all.join(''));
const part = fc.double({ min: 0, max: 1.1, noNaN: true });

test('a byte offset maps to the text of that length', () => {
  fc.assert(
    fc.property(text, part, (whole, share) => {
      const offsets = new TextOffsets(whole);
      const end = Math.floor(whole.length * Math.min(1, share));
      const at = whole.codePointAt(end - 1) !== undefined && (whole.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;
      expect(offsets.ofBytes(Buffer.byteLength(whole.slice(0, at)))).toBe(at);
      expect(offsets.ofCharacters(Array.from(whole.slice(0, at)).length)).toBe(at);
    }),
    { numRuns: 200 },
  );
});

test('an offset beyond the end is the end, and one inside a character is before it', () => {
  const offsets = new TextOffsets('ä語😀');
  expect([0, 1, 2, 3, 5, 6, 9, 99].map((count) => offsets.ofBytes(count))).toEqual([0, 0, 1, 1, 2, 2, 4, 4]);
  expect([0, 1, 2, 3, 4].map((count) => offsets.ofCharacters(count))).toEqual([0, 1, 2, 4, 4]);
});

test('a search ends at its budget', () => {
  const search = new BoundedSearch();
  const long = `${'a'.repeat(6 * 1024 * 1024)}b`;
  expect(['first', 'second', 'third'].map(() => search.find(long, 'b'))).toEqual([
    long.length - 1,
    long.length - 1,
    -1,
  ]);
});
