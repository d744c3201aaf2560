import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { CACHE_HEADER, headerControl } from './read-control.ts';

const control = (header: string) => {
  const read = headerControl(header);
  if (read instanceof Failure) throw new Error(read.message);
  return read;
};

test('a request without the header has no control', () => {
  expect(headerControl(null)).toBeNull();
  expect(headerControl('  ')).toBeNull();
});

test.each(['default', 'no_cache', 'no_store', 'response_only', 'semantic_only'] as const)('the type %s', (type) => {
  expect(control(type)).toEqual({ type, maxAgeS: null, coalesce: null });
  expect(control(type.toUpperCase().replaceAll('_', '-'))).toEqual({ type, maxAgeS: null, coalesce: null });
});

test('max_age and coalesce can follow the type, or stand alone', () => {
  expect(control('response_only; max_age=60; coalesce')).toEqual({
    type: 'response_only',
    maxAgeS: 60,
    coalesce: true,
  });
  expect(control('max-age = 86400')).toEqual({ type: 'default', maxAgeS: 86_400, coalesce: null });
  expect(control('coalesce=false, no-store,')).toEqual({ type: 'no_store', maxAgeS: null, coalesce: false });
  expect(control('max_age=0')).toEqual({ type: 'default', maxAgeS: 0, coalesce: null });
});

test.each([
  ['no-cache-please', 'must begin with one of default, no_cache'],
  ['no_cache=1', 'must begin with one of'],
  ['no_cache; no_store', 'has two types'],
  ['max_age', '`max_age` that is not an integer from 0 to 86400'],
  ['max_age=86401', '`max_age` that is not an integer'],
  ['max_age=-1', '`max_age` that is not an integer'],
  ['max_age=1e3', '`max_age` that is not an integer'],
  ['max_age=1; max_age=2', 'has `max_age` twice'],
  ['coalesce=perhaps', 'has a `coalesce` that is not a boolean'],
  ['coalesce; coalesce', 'has `coalesce` twice'],
  ['x'.repeat(201), 'is longer than 200 characters'],
])('%s is refused', (header, problem) => {
  const failure = headerControl(header);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: 'invalid_value', details: { param: CACHE_HEADER } });
  expect((failure as Failure).message).toContain(problem);
});
