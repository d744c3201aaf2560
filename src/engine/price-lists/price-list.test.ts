import { expect, test } from 'bun:test';
import { MAXIMUM_ENTRIES } from './list-entry.ts';
import { parsePriceList } from './price-list.ts';
import type { PriceList } from './price-list-model.ts';

const providers = new Set(['openai', 'groq']);

function parsed(json: unknown): PriceList {
  const result = parsePriceList(json, providers);
  if (!result.ok) throw new Error(result.problem);
  return result.list;
}

const litellmEntry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6 };

test('a map whose entries name a LiteLLM provider is a LiteLLM list', () => {
  expect(parsed({ 'gpt-4o': litellmEntry }).kind).toBe('litellm');
});

test('a map of providers with models is a models.dev list', () => {
  expect(parsed({ openai: { models: { 'gpt-4o': { name: 'GPT-4o' } } } }).kind).toBe('models.dev');
});

test.each([null, 'text', 7, [litellmEntry]])('%p is not a price list, and the problem describes one', (json) => {
  const result = parsePriceList(json, providers);
  expect(result).toMatchObject({ ok: false, problem: expect.stringContaining('model_prices_and_context_window.json') });
});

test.each([{}, { object: 'list', data: [] }, { error: { message: 'not found' } }])('%p is not a known list', (json) => {
  expect(parsePriceList(json, providers)).toMatchObject({ ok: false, problem: expect.stringContaining('No entry') });
});

test.each([
  ['a negative price', { input_cost_per_token: -1e-6 }],
  ['a price per million in a field per token', { input_cost_per_token: 2.5 }],
  ['a price that is not a number', { output_cost_per_token: 'cheap' }],
  ['a string as a limit', { max_input_tokens: 'many' }],
  ['a negative limit', { max_output_tokens: -1 }],
  ['half a token', { max_input_tokens: 0.5 }],
  ['a list as a mode', { mode: ['chat'] }],
  ['a string as a flag', { supports_vision: 'yes' }],
  ['a string as modalities', { supported_modalities: 'text' }],
  ['an object as tiers', { tiered_pricing: {} }],
  ['a tier without a range', { tiered_pricing: [{ input_cost_per_token: 1e-6 }] }],
])('an entry with %s is skipped, counted and named', (_, wrong) => {
  const list = parsed({ good: litellmEntry, bad: { ...litellmEntry, ...wrong } });
  expect(list.entries.map(({ id }) => id)).toEqual(['good']);
  expect(list).toMatchObject({ skipped: 1, malformed: 1, firstMalformed: [expect.stringMatching(/^"bad": /)] });
});

test.each(['gpt 4o', 'gpt\u001b[2J', 'gpt\u202eo4', '', 'x'.repeat(201)])('the id %j is malformed', (id) => {
  expect(parsed({ good: litellmEntry, [id]: litellmEntry }).malformed).toBe(1);
});

test('a malformed name is shown without its control characters', () => {
  const [first] = parsed({ good: litellmEntry, 'a\u001b[2J\u202eb': litellmEntry }).firstMalformed;
  expect(first).toStartWith('"a?[2J?b": ');
});

test('the first five malformed entries are named, and all are counted', () => {
  const bad = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`bad-${at}`, { ...litellmEntry, mode: 1 }]));
  const list = parsed({ good: litellmEntry, ...bad });
  expect([list.malformed, list.firstMalformed.length]).toEqual([9, 5]);
});

test('entries beyond the limit are skipped and counted', () => {
  const all = Array.from({ length: MAXIMUM_ENTRIES + 7 }, (_, at) => [`gpt-${at}`, litellmEntry] as const);
  const list = parsed(Object.fromEntries(all));
  expect([list.entries.length, list.skipped]).toEqual([MAXIMUM_ENTRIES, 7]);
  expect(list.firstMalformed).toEqual(['all after the first 20000: too many entries']);
});

test('a repeated model is read once', () => {
  const list = parsed({
    'groq/a': { ...litellmEntry, litellm_provider: 'groq' },
    'openai/x': litellmEntry,
    x: litellmEntry,
  });
  expect(list.entries.map(({ id }) => id)).toEqual(['a', 'x']);
  expect([list.skipped, list.malformed]).toEqual([1, 0]);
});

test('an entry nested a hundred thousand deep does not stop the rest', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
  const list = parsed({ good: litellmEntry, deep, gpt: { ...litellmEntry, metadata: deep, mode: deep } });
  expect(list.entries.map(({ id }) => id)).toEqual(['good']);
});

test('members named like object properties are only ids', () => {
  const json: unknown = JSON.parse(
    `{"__proto__": ${JSON.stringify(litellmEntry)}, "constructor": ${JSON.stringify(litellmEntry)}}`,
  );
  expect(parsed(json).entries.map(({ id }) => id)).toEqual(['__proto__', 'constructor']);
});
