import { expect, test } from 'bun:test';
import { unmatched } from './model-patterns.ts';

const MODELS = ['gpt-5', 'gpt-5-mini', 'openai/o9.1', 'claude-haiku-5-5'];

test('patterns without a model are found, with stars anywhere and every other character literal', () => {
  const matching = ['gpt-5', '*', 'gpt-*', '*haiku*', 'openai/*', 'o*nai/o9.1'];
  const others = ['gpt-6', 'GPT-5', 'openai/o9_1', 'gpt', 'o9*', '*-large', 'claude.haiku*'];
  expect(unmatched([...matching, ...others], MODELS)).toEqual(others);
  expect(unmatched(['*'], [])).toEqual(['*']);
});
