import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { countTokens, decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expectLinear } from '../../../tools/test/linear.ts';
import { Tokenizer } from './tokenizer.ts';

/** The library's own tokenizer, which takes ten times the time and memory to load. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
const tokenizer = await Tokenizer.load();

const texts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          'the',
          ' rain',
          'THE',
          "'ll",
          '123456',
          '\n\n',
          '  ',
          '\t',
          '€',
          '日本語',
          '🦊👩‍👩‍👧',
          '<|endoftext|>',
          '//',
          'ﬁé',
        ),
        {
          maxLength: 60,
        },
      )
      .map((parts) => parts.join('')),
  )
  // The library's decoder drops it as a byte order mark.
  .map((text) => text.replaceAll('\ufeff', ''));

test('the tokenizer counts like the library', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(tokenizer.count(text)).toBe(countTokens(text, AS_TEXT));
    }),
    { numRuns: 2_000 },
  );
});

test('the tokenizer cuts a text to the requested number of tokens, at whole characters', () => {
  fc.assert(
    fc.property(texts, fc.nat({ max: 40 }), (text, limit) => {
      const all = encode(text, AS_TEXT);
      const cut = tokenizer.cut(text, limit);
      if (all.length <= limit) return expect(cut).toEqual({ text, tokens: all.length, whole: true });
      const first = decode(all.slice(0, limit));
      // The library keeps the bytes of an unfinished character for its next result.
      decode(all.slice(limit));
      expect(cut).toEqual({ text: first, tokens: limit, whole: false });
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['one letter', (count: number) => 'a'.repeat(count)],
  ['endless letters', (count: number) => 'bxqzjkvwpgmcfhd'.repeat(count / 15)],
  ['long words', (count: number) => `${'bxqzjkvwpgmcfhd'.repeat(133)} `.repeat(count / 2_000)],
  ['spaces', (count: number) => ' '.repeat(count)],
  ['foxes', (count: number) => '🦊'.repeat(count / 2)],
])('the tokenizer counts in linear time: %s', (_name, make) => {
  expectLinear(400_000, make, (text) => void tokenizer.count(text));
});
