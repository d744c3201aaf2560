import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { readPart } from './form-part.ts';

const bodies = (name: string, text: string) => {
  const readings = readPart(name, text);
  return readings instanceof Failure ? readings.code : readings.map(({ body }) => body);
};

test('a part is its text, and its value if that is JSON', () => {
  expect(bodies('models', 'dear')).toEqual([{ models: 'dear' }]);
  expect(bodies('models', ' ["dear"]')).toEqual([{ models: ' ["dear"]' }, { models: ['dear'] }]);
  expect(bodies('models', '["dear"')).toEqual([{ models: '["dear"' }]);
});

test('brackets and dots form objects, and indexes are dropped', () => {
  for (const name of ['provider[order][]', 'provider[order][0]', 'provider.order', 'provider[order']) {
    expect(bodies(name, 'a')).toEqual([{ provider: { order: 'a' } }]);
  }
  expect(bodies('[x]', 'a')).toEqual([{ '': { x: 'a' } }]);
});

test('duplicate names in JSON are reported with their path', () => {
  const readings = readPart('provider', '{"order":["a"],"order":["b"]}');
  if (readings instanceof Failure) throw new Error(readings.message);
  expect(readings[1]?.names.duplicates).toEqual([['provider', 'order']]);
});

test('JSON beyond the limits of a body is refused', () => {
  expect(bodies('notes', '['.repeat(600) + ']'.repeat(600))).toBe('invalid_value');
});
