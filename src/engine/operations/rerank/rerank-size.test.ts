import { expect, test } from 'bun:test';
import type { Billable } from '../../../domain/money/quantity.ts';
import { RerankSize } from './rerank-size.ts';

const sizeOf = (query: string, ...documents: string[]) => new RerankSize('acme', { query, documents });
const said = (tokens: number, requests = 1, completion = 0): Billable => ({
  quantities: [
    { unit: 'input_token', amount: tokens },
    { unit: 'request', amount: requests },
    { unit: 'output_token', amount: completion },
  ],
  source: 'reported',
});

test('the query counts with each document, and a text has at most its bytes as tokens', () => {
  expect(sizeOf('äb', 'c', 'de').certain()).toEqual({
    ...{ inputTokens: 3 + 1 + 3 + 2 + 2 * 128, outputTokens: 0, isTextOnly: true, requests: 1 },
  });
});

test('a counted text is bounded lower, never higher', async () => {
  const words = sizeOf('internationalization', 'internationalization of responsibilities '.repeat(100));
  const { inputTokens = 0 } = (await words.counted()) ?? {};
  expect(inputTokens).toBeGreaterThan(300);
  expect(inputTokens).toBeLessThan(words.certain().inputTokens / 3);
});

test('a long document may be charged as several, a hundred of which are one search', () => {
  const documents = (count: number, length: number) => Array.from({ length: count }, () => 'a'.repeat(length));
  expect(sizeOf('q', ...documents(100, 499)).certain().requests).toBe(1);
  expect(sizeOf('q', ...documents(101, 499)).certain().requests).toBe(2);
  expect(sizeOf('q', ...documents(100, 500)).certain().requests).toBe(2);
});

test('plausible usage is bounded by what was sent', () => {
  const size = sizeOf('q', 'a');
  expect(size.isPlausible(said(260, 2))).toBe(true);
  expect(size.isPlausible(said(261))).toBe(false);
  expect(size.isPlausible(said(1, 3))).toBe(false);
  expect(size.isPlausible(said(1, 1, 1))).toBe(false);
});

test('an estimate counts the query once for each document', async () => {
  expect(await sizeOf('Hello, world!', 'Hello, world!', 'Hello, world!').estimated()).toBe(16);
});
