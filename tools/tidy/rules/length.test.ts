import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { length } from './length.ts';

function lines(count: number, line = '//'): string {
  return `${line}\n`.repeat(count);
}

describe('length', () => {
  test('a file may have 500 lines and not 501', async () => {
    const tree = { 'src/main/a.ts': lines(500), 'src/main/b.ts': lines(501), 'tools/c.ts': lines(501) };
    expect(await checkTree(length, tree)).toEqual(['src/main/b.ts:501', 'tools/c.ts:501']);
  });

  test.each([
    ['a function', 'function sample() {', '}'],
    ['an arrow function', 'const sample = () => {', '};'],
    ['a function expression', 'const sample = function () {', '};'],
    ['a callback', 'run(() => {', '});'],
    ['a method of a class', 'class C { sample() {', '} }'],
    ['a method of an object', 'const o = { sample() {', '} };'],
    ['a constructor', 'class C { constructor() {', '} }'],
  ])('%s may have 70 lines and not 71', async (_kind, head, tail) => {
    const fits = `${head}\n${lines(68)}${tail}\n`;
    const tooLong = `\n${head}\n${lines(69)}${tail}\n`;
    expect(await checkTree(length, { 'src/main/a.ts': fits, 'src/main/b.ts': tooLong })).toEqual(['src/main/b.ts:2']);
  });

  test('braces in strings, templates, regular expressions and comments do not mislead', async () => {
    const text = `function sample() {\n${lines(30, "'}'; `}`; /[}]/; // }")}}\n${lines(60)}`;
    expect(await checkTree(length, { 'src/main/a.ts': text })).toEqual([]);
  });

  test('the comment above a function, classes and types do not count', async () => {
    const text = `/**\n${lines(80, ' *')} */\nfunction f() {}\nclass C {\n${lines(80)}}\ninterface I {\n${lines(80)}}\n`;
    expect(await checkTree(length, { 'src/main/a.ts': text })).toEqual([]);
  });

  test('tests are exempt', async () => {
    const text = `function sample() {\n${lines(600)}}\n`;
    const tree = {
      'src/main/a.test.ts': text,
      'src/main/testing/suite.ts': text,
      'conformance/describe-loops.ts': `import { test } from 'bun:test';\n${text}`,
    };
    expect(await checkTree(length, tree)).toEqual([]);
  });

  test('the message names the function and its length', async () => {
    expect(await messagesOf(length, { 'src/main/a.ts': `const sample = () => {\n${lines(98)}};` })).toEqual([
      'sample has 100 lines, more than 70; extract its steps into named functions',
    ]);
  });
});
