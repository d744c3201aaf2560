import { expect, test } from 'bun:test';
import type { EmbeddingInputs, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { encodedBody, type RequestRules, readTexts } from './embedding-request.ts';

const RULES: RequestRules = { inputTypes: { query: 'search' }, hasDimensions: true, own: ['truncate'] };

const asking = (
  body: Record<string, unknown>,
  inputs: EmbeddingInputs = { kind: 'texts', texts: ['a'] },
): EmbeddingRequest => ({
  ...{ model: 'm', inputs, encoding: 'float', user: null, bytes: new Uint8Array(), body },
  dimensions: typeof body.dimensions === 'number' ? body.dimensions : null,
});
const read = (body: Record<string, unknown>, rules = RULES) => {
  const texts = readTexts(asking(body), rules);
  if (texts instanceof Failure) throw new Error(texts.message);
  return texts;
};

test('the provider’s own members are passed on, and every other one is a named loss', () => {
  const body = { model: 'm', input: [], encoding_format: 'float', user: 'u', truncate: 'END', future: 1, none: null };
  const { own, losses } = read(body);
  expect(own).toEqual({ truncate: 'END' });
  expect(losses.map(({ field, verdict }) => [field, verdict])).toEqual([
    ['user', 'dropped'],
    ['future', 'dropped'],
  ]);
});

test('`input_type` is mapped to the provider’s values, and is a loss if it has none', () => {
  expect(read({ input_type: 'query' })).toMatchObject({ inputType: 'search', losses: [] });
  expect(read({ input_type: null })).toMatchObject({ inputType: null, losses: [] });
  expect(read({ input_type: 'clustering' })).toMatchObject({ inputType: null, losses: [{ field: 'input_type' }] });
});

test.each([
  ['search_query', 'invalid_value'],
  ['constructor', 'invalid_value'],
  [7, 'invalid_type'],
])('the `input_type` %p is refused by name', (input_type, code) => {
  const failure = readTexts(asking({ input_type }), RULES);
  expect(failure).toMatchObject({ code, details: { param: 'input_type' } });
  expect((failure as Failure).message).toContain('`query`, `document`');
});

test('unsupported dimensions are a loss', () => {
  expect(read({ dimensions: 5 })).toMatchObject({ dimensions: 5, losses: [] });
  const without = read({ dimensions: 5 }, { ...RULES, hasDimensions: false });
  expect(without).toMatchObject({ dimensions: null, losses: [{ field: 'dimensions' }] });
});

test('token ids are refused, and another channel may take them', () => {
  const failure = readTexts(asking({}, { kind: 'tokens', lists: [[1]] }), RULES);
  expect(failure).toMatchObject({ code: 'unsupported_parameter', retry: 'other-target', details: { param: 'input' } });
});

test('members without a value are omitted, and none changes the prototype of the body', () => {
  const own = JSON.parse('{"__proto__":{"a":1}}');
  const { body } = encodedBody({ texts: ['a'], size: null }, { own, losses: [] });
  expect(new TextDecoder().decode(body)).toBe('{"__proto__":{"a":1},"texts":["a"]}');
});
