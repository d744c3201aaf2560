import { expect, test } from 'bun:test';
import { NO_RULES, newRule, rulesFrom, rulesSaid } from './rule-values.ts';

const STATED = [
  {
    name: 'Long',
    when: {
      input_tokens: { min: 5 },
      tools: { max: 2 },
      images: false,
      reasoning_effort: ['high', 'unset'],
      tags: ['team=a'],
      roles: ['VIP'],
      formats: ['gemini'],
      time: { days: ['mon'], from: '08:00', to: '18:30', zone: 'Europe/Berlin' },
      share: { percent: 12.5, by: 'account' },
    },
    model: 'big',
  },
  { when: { tools: true }, model: 'tooled' },
  { name: 'Else', model: 'small' },
];

test('rules survive a round trip through the form', () => {
  expect(rulesSaid(rulesFrom(STATED))).toEqual(STATED);
});

test('a form without rules says none', () => {
  expect(rulesFrom(null)).toEqual(NO_RULES);
  expect(rulesSaid(NO_RULES)).toBeNull();
});

test('a new rule is sent as far as it is filled in, so that the gateway says what is missing', () => {
  expect(rulesSaid({ ...NO_RULES, rules: [newRule()] })).toEqual([
    { when: { input_tokens: {} }, model: '' },
    { model: '' },
  ]);
});
