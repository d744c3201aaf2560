import { expect, test } from 'bun:test';
import { USUAL_OPERATIONS } from './model-operation.ts';
import { SCENES, scenesOf } from './scene.ts';

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
