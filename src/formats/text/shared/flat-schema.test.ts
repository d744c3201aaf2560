import { expect, test } from 'bun:test';
import { withFlatTop } from './flat-schema.ts';

const TEXT = { type: 'string' };

test('a schema without a union at its top stays the same object', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [TEXT, { type: 'null' }] } } };
  expect(withFlatTop(schema)).toBe(schema);
});

test('a union keeps the members of all branches, and what each of them requires', () => {
  const branches = [
    { properties: { a: TEXT, b: TEXT }, required: ['a', 'b'] },
    { properties: { a: TEXT }, required: ['a'] },
  ];
  expect(withFlatTop({ type: 'object', description: 'Who.', properties: { c: TEXT }, anyOf: branches })).toEqual({
    type: 'object',
    description: `Who.\n\n{anyOf: ${JSON.stringify(branches)}}`,
    properties: { a: TEXT, b: TEXT, c: TEXT },
    required: ['a'],
  });
});

test('all branches of allOf are required, and own members come before theirs', () => {
  const flat = withFlatTop({
    properties: { a: { type: 'number' } },
    required: ['a'],
    allOf: [{ properties: { a: TEXT, 2: TEXT, 1: TEXT }, required: ['2'] }],
  });
  expect(flat).toMatchObject({ properties: { a: { type: 'number' } }, required: ['a', '2'] });
});
