import { expect, test } from 'bun:test';
import { settingFields, settingsOf } from './settings-schema.ts';

const SCHEMA = {
  type: 'object',
  required: ['region'],
  properties: {
    region: { type: 'string', title: 'Region', description: 'Such as `eu`.' },
    tier: { enum: ['low', 'high'] },
    token: { type: 'string', format: 'password' },
    retries: { type: 'integer' },
    fast: { type: 'boolean' },
    map: { type: 'object' },
    flags: { type: 'array', items: { type: 'string' } },
  },
};

test('a form is rendered from a schema', () => {
  const kinds = settingFields(SCHEMA).map(({ name, kind }) => [name, kind]);
  expect(kinds).toEqual([
    ['region', 'text'],
    ['tier', 'choice'],
    ['token', 'secret'],
    ['retries', 'number'],
    ['fast', 'flag'],
    ['map', 'map'],
    ['flags', 'list'],
  ]);
  expect(settingFields(SCHEMA)[0]).toMatchObject({ label: 'Region', help: 'Such as eu.', isRequired: true });
  expect(settingFields(null)).toEqual([]);
});

test('input is sent with the type of the schema, and invalid input unchanged', () => {
  const typed = { region: ' eu ', retries: '3', fast: false, map: '{"a":1}', flags: '["x"]', tier: '', other: 'kept' };
  expect(settingsOf(typed, SCHEMA)).toEqual({
    ...{ region: 'eu', retries: 3, fast: false, map: { a: 1 }, flags: ['x'], other: 'kept' },
  });
  expect(settingsOf({ retries: 'many', map: '{' }, SCHEMA)).toEqual({ retries: 'many', map: '{' });
});
