import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { readPart } from './form-part.ts';

const bodies = (name: string, text: string) => {
  const readings = readPart(name, text);
  return readings instanceof Failure ? readings.code : readings.map(({ body }) => body);
};

test('a text is itself, and its value where it is JSON', () => {
  expect(bodies('models', 'dear')).toEqual([{ models: 'dear' }]);
  expect(bodies('models', ' ["dear"]')).toEqual([{ models: ' ["dear"]' }, { models: ['dear'] }]);
  expect(bodies('models', '["dear"')).toEqual([{ models: '["dear"' }]);
});

test('brackets and dots lead into objects, and indexes are left out', () => {
  for (const name of ['provider[order][]', 'provider[order][0]', 'provider.order', 'provider[order']) {
    expect(bodies(name, 'a')).toEqual([{ provider: { order: 'a' } }]);
  }
  expect(bodies('[x]', 'a')).toEqual([{ '': { x: 'a' } }]);
});

test('names that stand twice in JSON are told with where they stand', () => {
  const readings = readPart('provider', '{"order":["a"],"order":["b"]}');
  if (readings instanceof Failure) throw new Error(readings.message);
  expect(readings[1]?.names.duplicates).toEqual([['provider', 'order']]);
});

test('JSON beyond the bounds of a body is refused', () => {
  expect(bodies('notes', '['.repeat(600) + ']'.repeat(600))).toBe('invalid_value');
});
