import { expect, test } from 'bun:test';
import { USUAL_OPERATIONS } from './model-operation.ts';
import { categoriesOf, SCENES, scenesOf, tagsOf } from './model-tags.ts';

test.each(SCENES)('a model of the category %s is for that scene alone', (scene) => {
  expect(scenesOf({ category: scene, operations: USUAL_OPERATIONS[scene] })).toEqual([scene]);
});

test.each(['chat', 'audio'] as const)('a model of the category %s is for no scene', (category) => {
  expect(scenesOf({ category, operations: USUAL_OPERATIONS[category] })).toEqual([]);
});

test('a model is for the scenes whose operations it serves as well, in the order of the contract', () => {
  expect(scenesOf({ category: 'stt', operations: ['audio.translations', 'audio.transcriptions'] })).toEqual([
    'stt',
    'translation',
  ]);
});

test('a chat model that generates images is for the image scene', () => {
  expect(scenesOf({ category: 'chat', operations: ['chat.completions', 'images.generations'] })).toEqual(['image']);
});

test("a model is for its category's scene, whatever else it serves", () => {
  expect(scenesOf({ category: 'image', operations: ['images.edits'] })).toEqual(['image']);
});

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
