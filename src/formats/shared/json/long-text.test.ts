import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isBlank, piecesOf, startOf, TextBuilder } from './long-text.ts';

const MOST = 128 * 1024;

function built(pieces: readonly string[]): string {
  const builder = new TextBuilder();
  for (const piece of pieces) builder.add(piece);
  return builder.build();
}

describe('a text of many pieces', () => {
  const piece = fc
    .tuple(fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', 'data:,', 'DATA:x/y;base64,'), fc.nat(200_000))
    .map(([unit, times]) => unit.repeat(Math.ceil(times / unit.length)));

  test('equals their concatenation, and so do the pieces it is read in', () => {
    const law = (pieces: readonly string[], prefix: string) => {
      const text = built(pieces);
      const whole = pieces.join('');
      const read = [...piecesOf(prefix + text)];
      expect(read.join('') === prefix + whole).toBe(true);
      expect(Math.max(0, ...read.map(({ length }) => length))).toBeLessThanOrEqual(MOST);
      expect(startOf(built(pieces), 64)).toBe(whole.slice(0, 64));
      expect(text === whole).toBe(true);
    };
    const prefix = fc.constantFrom('', 'data:image/png;base64,', 'p');
    fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), prefix, law), { numRuns: 40 });
  });

  test('is read within its own pieces, even with another head, without joining them', () => {
    const data = 'iVBORw0KGgo='.repeat(11_000).slice(0, MOST);
    const pieces = ['data:image/png;base64,', ...Array.from({ length: 400 }, () => data), 'AAAA'];
    const text = built(pieces);
    const cut = [...piecesOf(`data:image/webp;base64,${text.slice(22)}`)];
    expect(cut.slice(0, 2)).toEqual(['data:image/webp;base64,', data]);
    expect(cut.length).toBe(402);
    expect(cut.at(-1)).toBe('AAAA');
  });

  test('is blank only if all of it is', () => {
    const blank = Array.from({ length: 20 }, () => ' \n'.repeat(60_000));
    expect(isBlank(built(blank))).toBe(true);
    expect(isBlank(built([...blank, 'x']))).toBe(false);
    expect([isBlank(''), isBlank(' \t'), isBlank(' x')]).toEqual([true, true, false]);
  });
});
