import { expect, test } from 'bun:test';
import { tagsOf } from './tags-of.ts';

test('the category is the first of the tags, and there once', () => {
  expect(tagsOf({ category: 'image', tags: ['fast'] })).toEqual(['image', 'fast']);
  expect(tagsOf({ category: 'image', tags: ['fast', 'image'] })).toEqual(['fast', 'image']);
});
