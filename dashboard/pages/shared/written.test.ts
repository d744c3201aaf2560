import { expect, test } from 'bun:test';
import { changedMembers, jsonSaid, numberSaid, said } from './written.ts';

test('an empty field has no value', () => {
  expect(said('  ')).toBe(null);
  expect(said(' a b ')).toBe('a b');
  expect(numberSaid(' ')).toBe(null);
});

test('a number is parsed, and invalid input is kept as typed', () => {
  expect(numberSaid(' 1.5 ')).toBe(1.5);
  expect(numberSaid('0')).toBe(0);
  expect(numberSaid(' many ') as unknown).toBe('many');
  expect(numberSaid('Infinity') as unknown).toBe('Infinity');
});

test('JSON is parsed, and invalid input is kept as typed', () => {
  expect(jsonSaid('{"a":[1]}')).toEqual({ a: [1] });
  expect(jsonSaid('null')).toBe(null);
  expect(jsonSaid('{"a"')).toBe('{"a"');
});

test('only different members count as changed', () => {
  const before = { name: 'a', models: { x: 'y' }, weight: 1 as number | null };
  expect(changedMembers(before, { name: 'a', models: { x: 'y' }, weight: null })).toEqual({ weight: null });
  expect(changedMembers(before, { ...before, models: { x: 'z' } })).toEqual({ models: { x: 'z' } });
});
