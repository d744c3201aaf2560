import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type JsonText, joined, jsonWith, listed, textOf, Unwritten, writtenInSlices } from './json-writer.ts';
import { Turns } from './large-json.ts';

/** Reports at every check that the slice's time is up. */
class CountedTurns extends Turns {
  count = 0;

  override get isOver(): boolean {
    return true;
  }

  override async next(): Promise<void> {
    this.count++;
  }
}

/** Compares bytes: an assertion on two long texts would compute their difference. */
async function isTheSame(json: JsonText, likelyBytes = 0): Promise<boolean> {
  const written = await writtenInSlices(json, likelyBytes, new CountedTurns());
  return Buffer.from(written).equals(Buffer.from(new TextEncoder().encode(textOf(json))));
}

/**
 * Texts, many of them longer than a piece, with everything that could be cut in two: surrogate pairs, lone surrogates, escapes.
 */
const longText = fc
  .tuple(
    fc.array(fc.constantFrom('a', '"', '\\', '\n', '\u0007', '\u007f', 'é', '\u2028', '字', '😀', '\ud83d', '\ude00'), {
      minLength: 1,
      maxLength: 9,
    }),
    fc.integer({ min: 1, max: 40_000 }),
    fc.string(),
  )
  .map(([units, times, lead]) => lead + units.join('').repeat(times));
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.jsonValue(),
    longText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 4 }),
  ),
})).value;

describe('a large text written in slices', () => {
  test('has the same bytes as written at once, for any value', async () => {
    const law = async (some: unknown, likely: number) => {
      expect(await isTheSame(new Unwritten(some), likely)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(value, fc.nat(100_000), law), { numRuns: 150 });
  });

  test('has the same bytes with texts and values side by side', async () => {
    const law = async (some: unknown, text: string) => {
      const raw = JSON.stringify(text);
      const json = joined('{"a":', listed([new Unwritten(some), raw, jsonWith(text.length, { text })]), '}');
      expect(await isTheSame(json)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(value, longText, law), { numRuns: 100 });
  });

  test.each([
    ['one string', { text: 'The "quick"\n fox 😀'.repeat(600_000) }],
    [
      'a thousand strings',
      Array.from({ length: 1_000 }, (_, index) => ({ index, text: 'Some "words"\n'.repeat(800) })),
    ],
    ['many small values', Array.from({ length: 100_000 }, (_, index) => ({ index, name: `name ${index}`.repeat(10) }))],
  ])('yields repeatedly: ten megabytes of %s', async (_, some) => {
    const turns = new CountedTurns();
    const bytes = await writtenInSlices(new Unwritten(some), 1_000, turns);
    expect(turns.count).toBeGreaterThan(bytes.length / (512 * 1024));
  });

  test('omits members without a value, as JSON.stringify does', async () => {
    const long = 'x'.repeat(200_000);
    const bytes = await writtenInSlices(new Unwritten({ a: undefined, long, b: [undefined], c: undefined }), 0);
    expect(new TextDecoder().decode(bytes) === `{"long":"${long}","b":[null]}`).toBe(true);
  });
});

test('a short text is written at once', () => {
  expect(joined('[', listed(['1', jsonWith(1, 'a')]), ']')).toBe('[1,"a"]');
});
