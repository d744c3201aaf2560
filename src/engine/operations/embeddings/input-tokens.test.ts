import { expect, test } from 'bun:test';
import type { Billable } from '../../../domain/money/quantity.ts';
import { InputTokens } from './input-tokens.ts';

const texts = (...list: string[]) => new InputTokens('acme', { kind: 'texts', texts: list });
const tokens = (...lists: number[][]) => new InputTokens('acme', { kind: 'tokens', lists });
const said = (prompt: number, completion = 0): Billable => ({
  quantities: [
    { unit: 'input_token', amount: prompt },
    { unit: 'output_token', amount: completion },
  ],
  source: 'reported',
});

test('a text has at most its bytes as tokens, and a list at most its length', () => {
  expect(texts('äb', 'c').certain()).toEqual({ inputTokens: 3 + 1 + 32, outputTokens: 0, isTextOnly: true });
  expect(tokens([1, 2, 3], [4]).certain()).toMatchObject({ inputTokens: 4 + 32 });
});

test('a counted text is bounded lower, never higher', async () => {
  const words = texts('internationalization of responsibilities '.repeat(100));
  const { inputTokens = 0 } = (await words.counted()) ?? {};
  expect(inputTokens).toBeGreaterThan(300);
  expect(inputTokens).toBeLessThan(words.certain().inputTokens / 3);
  expect(await texts('a').counted()).toEqual(texts('a').certain());
  expect(await tokens([1, 2]).counted()).toEqual(tokens([1, 2]).certain());
});

test('plausible usage is bounded by what was sent', () => {
  const bounds = tokens([1, 2]);
  expect(bounds.isPlausible(said(36))).toBe(true);
  expect(bounds.isPlausible(said(37))).toBe(false);
  expect(bounds.isPlausible(said(1, 1))).toBe(false);
});

test('an estimate counts texts by the tokenizer, and token ids by number', async () => {
  expect(await texts('Hello, world!').estimated()).toBe(4);
  expect(await tokens([1, 2], [3]).estimated()).toBe(3);
});
