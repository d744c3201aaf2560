import { expect, test } from 'bun:test';
import { languageName, primaryLanguage } from './language-name.ts';

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

test('the first subtag of a code', () => {
  expect(['EN-us', 'pt_BR', 'deu', 'multi'].map(primaryLanguage)).toEqual(['en', 'pt', 'deu', 'multi']);
});
