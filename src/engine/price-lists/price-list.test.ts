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

test('a map whose entries name a provider of LiteLLM is its list', () => {
  expect(parsed({ 'gpt-4o': litellmEntry }).kind).toBe('litellm');
});

test('a map of providers with models is the list of models.dev', () => {
  expect(parsed({ openai: { models: { 'gpt-4o': { name: 'GPT-4o' } } } }).kind).toBe('models.dev');
});

test.each([null, 'text', 7, [litellmEntry]])('%p is no price list, and the problem says what one is', (json) => {
  const result = parsePriceList(json, providers);
  expect(result).toMatchObject({ ok: false, problem: expect.stringContaining('model_prices_and_context_window.json') });
});

test.each([{}, { object: 'list', data: [] }, { error: { message: 'not found' } }])('%p is no known list', (json) => {
  expect(parsePriceList(json, providers)).toMatchObject({ ok: false, problem: expect.stringContaining('No entry') });
});

test.each([
  ['a negative price', { input_cost_per_token: -1e-6 }],
  ['a price for a million that was meant for one', { input_cost_per_token: 2.5 }],
  ['a price that is no number', { output_cost_per_token: 'cheap' }],
  ['a limit that is a text', { max_input_tokens: 'many' }],
  ['a limit below nought', { max_output_tokens: -1 }],
  ['half a token', { max_input_tokens: 0.5 }],
  ['a mode that is a list', { mode: ['chat'] }],
  ['a flag that is a text', { supports_vision: 'yes' }],
  ['modalities that are a text', { supported_modalities: 'text' }],
  ['tiers that are an object', { tiered_pricing: {} }],
  ['a tier without a range', { tiered_pricing: [{ input_cost_per_token: 1e-6 }] }],
])('an entry with %s is left out, counted and named', (_, wrong) => {
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

test('of many malformed entries the first five are named and all are counted', () => {
  const bad = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`bad-${at}`, { ...litellmEntry, mode: 1 }]));
  const list = parsed({ good: litellmEntry, ...bad });
  expect([list.malformed, list.firstMalformed.length]).toEqual([9, 5]);
});

test('entries after the twenty thousandth are left out and counted', () => {
  const all = Array.from({ length: MAXIMUM_ENTRIES + 7 }, (_, at) => [`gpt-${at}`, litellmEntry] as const);
  const list = parsed(Object.fromEntries(all));
  expect([list.entries.length, list.skipped]).toEqual([MAXIMUM_ENTRIES, 7]);
  expect(list.firstMalformed).toEqual(['all after the first 20000: too many entries']);
});

test('a model that is there twice is taken once', () => {
  const list = parsed({
    'groq/a': { ...litellmEntry, litellm_provider: 'groq' },
    'openai/x': litellmEntry,
    x: litellmEntry,
  });
  expect(list.entries.map(({ id }) => id)).toEqual(['a', 'x']);
  expect([list.skipped, list.malformed]).toEqual([1, 0]);
});

test('an entry that is nested a hundred thousand deep does not stop the rest', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
  const list = parsed({ good: litellmEntry, deep, gpt: { ...litellmEntry, metadata: deep, mode: deep } });
  expect(list.entries.map(({ id }) => id)).toEqual(['good']);
});

test('members named like those of every object are only ids', () => {
  const json: unknown = JSON.parse(
    `{"__proto__": ${JSON.stringify(litellmEntry)}, "constructor": ${JSON.stringify(litellmEntry)}}`,
  );
  expect(parsed(json).entries.map(({ id }) => id)).toEqual(['__proto__', 'constructor']);
});
