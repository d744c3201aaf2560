import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { statedModel } from './stated-model.ts';

const utf8 = new TextEncoder();

test.each([
  ['a model before and after other members', '{"n":{"model":"inner"},"model":"gpt-5","x":[1]}', 'gpt-5'],
  ['white space and escapes', ' { "mod\\u0065l" : "caf\\u00e9" }', 'café'],
  ['no model', '{"messages":[]}', null],
  ['a model that is no text', '{"model":7}', null],
  ['an empty model', '{"model":""}', null],
  ['broken JSON', '{"model":"gpt-5",', null],
  ['a value that is no object', '["model"]', null],
  ['an empty body', '', null],
])('finds the model in a refused body with %s', (_case, body, expected) => {
  expect(statedModel(utf8.encode(body))).toBe(expected);
});

test('a body that could not be read names no model', () => {
  expect(statedModel(new Failure('invalid_json', { message: 'No.' }))).toBeNull();
});

test('deep nesting costs no stack', () => {
  expect(statedModel(utf8.encode(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)},"model":"m"}`))).toBe('m');
});
