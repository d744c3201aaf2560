import { expect, test } from 'bun:test';
import type { Guard } from '../../api/schema.ts';
import { bodyOf, newSecret, valuesOf } from './guard-values.ts';

const GUARD: Guard = {
  ...{ object: 'guard', id: 'privacy', name: 'Privacy', stages: ['input', 'output'], unguarded: 'allow' },
  pii: [{ class: 'card', action: 'flag' }],
  patterns: [{ name: 'ticket', pattern: '\\d+', ignore_case: true, action: 'mask' }],
  terms: [{ name: 'projects', terms: ['a b', 'c'], within_words: true, leetspeak: false, action: 'refuse' }],
  moderation: {
    ...{ model: 'm', thresholds: { violence: 0.7 }, action: 'flag', images: true, on_failure: 'open', timeout_ms: 500 },
  },
  webhook: { url_preview: 'https://guards.example.com', on_failure: 'open', timeout_ms: 900 },
  hold_characters: 200,
};

test('an unchanged form sends the guard as it is, without the webhook’s address and secret', () => {
  const { object: _object, id: _id, webhook: _webhook, ...rest } = GUARD;
  expect(bodyOf(valuesOf(GUARD)) as unknown).toEqual({ ...rest, webhook: { on_failure: 'open', timeout_ms: 900 } });
});

test('an empty form has no rules', () => {
  expect(bodyOf(valuesOf(null)) as unknown).toEqual({
    ...{ name: null, stages: ['input'], pii: [], patterns: [], terms: [], moderation: null, webhook: null },
    ...{ hold_characters: null, unguarded: 'refuse' },
  });
});

test('a threshold without a number is left for the gateway to report', () => {
  const values = valuesOf({ ...GUARD, moderation: null });
  values.moderation = { ...values.moderation, model: 'm', thresholds: ['violence', 'hate=x', 'sexual = 0.5'] };
  expect(bodyOf(values).moderation?.thresholds as unknown).toEqual({ violence: '', hate: 'x', sexual: 0.5 });
});

test('a secret has 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});
