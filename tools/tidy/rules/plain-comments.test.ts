import { describe, expect, test } from 'bun:test';
import { parseTree } from '../parse.ts';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { plainCommentsWithin } from './plain-comments.ts';

const none = plainCommentsWithin({});

describe('plain-comments', () => {
  test.each(['Of', 'By', 'As', 'Whose', 'What', 'Beside'])('no comment begins with %s', async (word) => {
    const text = `/** ${word} each row. */\nconst a = 1; // ${word} each row.\n/**\n * ${word} each row.\n */\n/* ${word} */\n`;
    expect(await checkTree(none, { 'src/domain/a.ts': text })).toEqual(
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
    expect(await checkTree(none, { 'src/domain/a.ts': `${text}\n` })).toEqual([]);
  });

  test('"so many" is reported as a number, on every line of the comment', async () => {
    const text = '// So many at a time.\n/**\n * Rows.\n * After so many failures it stops.\n */\n';
    expect(await checkTree(none, { 'bench/a.ts': text })).toEqual(['bench/a.ts:1', 'bench/a.ts:4']);
  });

  test('the message suggests a replacement', async () => {
    expect(await messagesOf(none, { 'tools/a.ts': '// By so many.\n' })).toEqual([
      'begins with "By"; write a sentence with a subject, or a verb ("Returns …")',
      'says "so many"; name the number, or write "at most" or "too many"',
    ]);
  });

  test('a folder may have its allowance, and all are reported beyond it', async () => {
    const one = { 'src/engine/a.ts': '// Of each row.\n' };
    const two = { ...one, 'src/engine/b/c.ts': '// As a row.\n' };
    const rule = plainCommentsWithin({ 'src/engine': 1 });
    expect(await checkTree(rule, one)).toEqual([]);
    expect(await checkTree(rule, two)).toEqual(['src/engine/a.ts:1', 'src/engine/b/c.ts:1']);
    expect((await messagesOf(rule, two))[0]).toEndWith('(src/engine has 2 of these and may have 1)');
  });

  test('the allowance of one folder applies to no other', async () => {
    const rule = plainCommentsWithin({ 'src/engine': 1, dashboard: 1 });
    expect(await checkTree(rule, { 'src/stores/a.ts': '// Of each row.\n' })).toEqual(['src/stores/a.ts:1']);
    expect(await checkTree(rule, { 'dashboard/kit/a.ts': '// Of each row.\n' })).toEqual([]);
  });

  test('an allowance that is too high has to be lowered', async () => {
    const files = await parseTree({ 'src/engine/a.ts': '// Of each row.\n' });
    expect(plainCommentsWithin({ 'src/engine': 1 }).unusedExceptions?.(files)).toEqual([]);
    expect(plainCommentsWithin({ 'src/engine': 3, bench: 1 }).unusedExceptions?.(files)).toEqual([
      'plain-comments allows 3 in src/engine; lower it to 1',
      'plain-comments allows 1 in bench; lower it to 0',
    ]);
  });
});
