import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { plainComments } from './plain-comments.ts';

describe('plain-comments', () => {
  test.each(['Of', 'By', 'As', 'Whose', 'What', 'Beside'])('no comment begins with %s', async (word) => {
    const text = `/** ${word} each row. */\nconst a = 1; // ${word} each row.\n/**\n * ${word} each row.\n */\n/* ${word} */\n`;
    expect(await checkTree(plainComments, { 'src/domain/a.ts': text })).toEqual(
      [1, 2, 4, 6].map((line) => `src/domain/a.ts:${line}`),
    );
  });

  test.each([
    '/** Asks for whatever is left. */',
    '/** The rows. What is left stays. */',
    '// One line, and the next line begins with the name\n// What of a type.',
    '/**\n * One line, and the next line begins with the name\n * What of a type.\n */',
    '/** Returns what is left. */',
    'const text = "// Of each row";',
    '/** One batch can hold so many rows that memory runs out. */',
  ])('%j is allowed', async (text) => {
    expect(await checkTree(plainComments, { 'src/domain/a.ts': `${text}\n` })).toEqual([]);
  });

  test('a vague number is reported on every line of the comment', async () => {
    const text = '// So many at a time.\n/**\n * Rows.\n * After so many failures it stops.\n */\n';
    expect(await checkTree(plainComments, { 'bench/a.ts': text })).toEqual(['bench/a.ts:1', 'bench/a.ts:4']);
  });

  test('the message suggests a replacement', async () => {
    expect(await messagesOf(plainComments, { 'tools/a.ts': '// By default, the list has so many rows.\n' })).toEqual([
      'begins with "By"; write a sentence with a subject, or a verb ("Returns …")',
      'says "so many"; name the number, or write "at most" or "too many"',
    ]);
  });
});
