import { expect, test } from 'bun:test';
import { LONGEST_MODEL, modelOf } from './request-fields.ts';

test('a model is an id of limited length', () => {
  expect(modelOf('m', 'image')).toBe('m');
  expect(modelOf('m'.repeat(LONGEST_MODEL), 'image')).toHaveLength(LONGEST_MODEL);
});

test.each([
  [undefined, 'missing_required_parameter'],
  [null, 'missing_required_parameter'],
  [7, 'invalid_type'],
  ['', 'invalid_value'],
  ['m'.repeat(LONGEST_MODEL + 1), 'invalid_value'],
])('%p is not a model', (model, code) => {
  expect(modelOf(model, 'image')).toMatchObject({ code, details: { param: 'model' } });
});

test('the message for a missing model says where to find one', () => {
  expect(modelOf(null, 'tts')).toMatchObject({ message: expect.stringContaining('category=tts') });
});
