import { expect, test } from 'bun:test';
import { fieldOfParam, firstMessage } from './form-errors.ts';

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
  expect(fieldOfParam(param, names)).toBe(field);
});

test('a member with another name is shown at its field', () => {
  expect(fieldOfParam('limits.usd', names, { 'limits.usd': 'limit_usd' })).toBe('limit_usd');
  expect(fieldOfParam('limits.usd[0]', names, { limits: 'rules', 'limits.usd': 'limit_usd' })).toBe('limit_usd');
});

test('the message of a list is that of its first wrong member', () => {
  expect(firstMessage({ type: 'x', message: 'No.' })).toBe('No.');
  expect(firstMessage([undefined, { name: { message: 'Too long.' } }])).toBe('Too long.');
  expect(firstMessage({ root: { message: 'Too few.' } })).toBe('Too few.');
  expect(firstMessage(undefined)).toBeUndefined();
  expect(firstMessage({ ref: { message: 'no error: the element' } })).toBeUndefined();
});
