import { expect, test } from 'bun:test';
import { categoriesOf, tagsOf } from './model-tags.ts';

test('the category is the first tag, and is listed once', () => {
  expect(tagsOf({ category: 'image', operations: ['images.generations'], tags: ['fast'] })).toEqual(['image', 'fast']);
  expect(tagsOf({ category: 'image', operations: ['images.generations'], tags: ['fast', 'image'] })).toEqual([
    'fast',
    'image',
  ]);
});

test('a speech model that translates also has the translation category', () => {
  const operations = ['audio.transcriptions', 'audio.translations'] as const;
  expect(categoriesOf({ category: 'stt', operations })).toEqual(['stt', 'translation']);
  expect(tagsOf({ category: 'stt', operations, tags: ['fast'] })).toEqual(['stt', 'translation', 'fast']);
  expect(categoriesOf({ category: 'translation', operations })).toEqual(['translation']);
});
