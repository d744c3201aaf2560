import { expect, test } from 'bun:test';
import { sumOf } from './amounts.ts';

test('amounts add up to the nano-dollar, whatever their signs', () => {
  expect(sumOf([])).toBe('0');
  expect(sumOf(['0.1', '0.2'])).toBe('0.3');
  expect(sumOf(['9007199254740993', '0.000000001'])).toBe('9007199254740993.000000001');
  expect(sumOf(['-0.000000002', '0.000000001'])).toBe('-0.000000001');
  expect(sumOf(['100', '-30', '-60'])).toBe('10');
});
