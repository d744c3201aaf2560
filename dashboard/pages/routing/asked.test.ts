import { expect, test } from 'bun:test';
import { bodyOf, ENDPOINTS, headersOf, NOTHING_ASKED } from './asked.ts';

test('a simple request has the model and the prompt', () => {
  expect(bodyOf({ ...NOTHING_ASKED, model: 'auto' })).toEqual({
    model: 'auto',
    messages: [{ role: 'user', content: 'Hello!' }],
  });
  expect(ENDPOINTS['generateContent (Gemini)'].path('a/b')).toBe('/v1beta/models/a/b:generateContent');
});

test('a written body replaces them, and has to be an object', () => {
  expect(bodyOf({ ...NOTHING_ASKED, body: '{"model": "x"}' })).toEqual({ model: 'x' });
  for (const body of ['[1]', '{', '5']) expect(bodyOf({ ...NOTHING_ASKED, body })).toBeNull();
});

test('only the headers that are filled in are sent', () => {
  expect(headersOf(NOTHING_ASKED)).toEqual({});
  expect(headersOf({ ...NOTHING_ASKED, tags: ' a=b ' })).toEqual({ 'x-switchyard-tags': 'a=b' });
});
