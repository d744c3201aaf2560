import { expect, test } from 'bun:test';
import { closestLanguage, languageName, primaryLanguage } from './language-name.ts';

test.each([
  ['en', 'english'],
  ['eng', 'english'],
  ['en-US', 'english'],
  ['pt_BR', 'portuguese'],
  ['zh-Hant-TW', 'chinese'],
  ['yue', 'cantonese'],
  ['English', 'english'],
  ['xx', 'xx'],
  ['klingon', 'klingon'],
  ['', ''],
])('%p is %p', (said, name) => expect(languageName(said)).toBe(name));

test('the primary language is a bare code, of two letters if there is one', () => {
  const codes = ['EN-us', 'pt_BR', 'deu', 'cmn-CN', 'yue', 'fil', 'multi'];
  expect(codes.map(primaryLanguage)).toEqual(['en', 'pt', 'de', 'zh', 'yue', 'fil', 'multi']);
});

test.each([
  ['pt_br', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['pt-AO', 'pt-BR'],
  ['por', 'pt-BR'],
  ['zh-TW', 'cmn-CN'],
  ['en-GB', 'en'],
  ['sv', null],
] as const)('the offered code for %p is %p', (code, closest) => {
  expect(closestLanguage(code, ['en', 'pt-BR', 'pt-PT', 'cmn-CN'])).toBe(closest);
});
