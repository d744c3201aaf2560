import { expect, test } from 'bun:test';
import { firstMessage, placeOfParam, problemsOf } from './form-errors.ts';

const names = ['limit_usd', 'models', 'settings.region', 'rules.0.name', 'rules'];

test.each([
  ['limit_usd', 'limit_usd'],
  ['models[2]', 'models'],
  ['settings.region', 'settings.region'],
  ['rules[0].name', 'rules.0.name'],
  ['rules[1].name', 'rules'],
  ['settings', undefined],
  ['models_2', undefined],
  ['limit', undefined],
  ['', undefined],
  [null, undefined],
])('the error of %p stands at %p', (param, field) => {
  expect(placeOfParam(param, names)?.field).toBe(field as never);
});

test('a member with another name is shown at its field', () => {
  const place = { field: 'limit_usd', within: '' };
  expect(placeOfParam('limits.usd', names, { 'limits.usd': 'limit_usd' })).toEqual(place);
  const aliases = { limits: 'rules', 'limits.usd': 'limit_usd' };
  expect(placeOfParam('limits.usd[0]', names, aliases)).toEqual({ ...place, within: '#1' });
});

test('a path within a field is shown in readable form', () => {
  expect(placeOfParam('rules[1].name', names)).toEqual({ field: 'rules', within: '#2 name' });
  expect(placeOfParam('models.gpt-5', names)).toEqual({ field: 'models', within: 'gpt-5' });
  expect(placeOfParam('models["a/b.c"]', names)).toEqual({ field: 'models', within: 'a/b.c' });
});

test('each problem of a refusal has its own member, whose name is not repeated', () => {
  expect(problemsOf({ param: 'api_key', message: 'api_key: is required; settings.region: is unknown.' })).toEqual([
    { param: 'api_key', message: 'Is required' },
    { param: 'settings.region', message: 'Is unknown.' },
  ]);
  expect(problemsOf({ param: 'format', message: 'format: has no such format; it has none.' })).toEqual([
    { param: 'format', message: 'Has no such format; it has none.' },
  ]);
  expect(problemsOf({ param: 'source', message: 'source: http://10.0.0.1/ is not public.' })).toEqual([
    { param: 'source', message: 'http://10.0.0.1/ is not public.' },
  ]);
  const whole = { param: 'code', message: 'Invalid code' };
  expect(problemsOf(whole)).toEqual([whole]);
  expect(problemsOf({ param: null, message: 'a: b' })).toEqual([{ param: null, message: 'a: b' }]);
});

test('the message of a list is that of its first wrong member', () => {
  expect(firstMessage({ type: 'x', message: 'No.' })).toBe('No.');
  expect(firstMessage([undefined, { name: { message: 'Too long.' } }])).toBe('Too long.');
  expect(firstMessage({ root: { message: 'Too few.' } })).toBe('Too few.');
  expect(firstMessage(undefined)).toBeUndefined();
  expect(firstMessage({ ref: { message: 'no error: the element' } })).toBeUndefined();
});
