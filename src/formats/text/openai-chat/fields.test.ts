import { expect, test } from 'bun:test';
import { FEATURES } from '../../../domain/exchange/loss.ts';
import { carries } from './capabilities.ts';
import { fields, NAMES } from './fields.ts';

test('every named feature is a field, and every feature has an entry', () => {
  expect(Object.values(NAMES).filter((name) => !(name in fields))).toEqual([]);
  expect(Object.keys(carries).sort()).toEqual([...FEATURES].sort());
});
