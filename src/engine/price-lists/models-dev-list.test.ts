import { expect, test } from 'bun:test';
import { readModelsDevList } from './models-dev-list.ts';
import type { PriceListModel } from './price-list-model.ts';
import sample from './testing/models-dev-sample.json';

const providers = new Set([
  'openai',
  'anthropic',
  'google',
  'vertex',
  'bedrock',
  'groq',
  'alibaba',
  'together',
  'fireworks',
  'moonshot',
  'nvidia',
  'github-models',
  'azure-openai',
  'lmstudio',
]);

const list = readModelsDevList(sample, providers);

function listed(provider: string, id: string): PriceListModel {
  const model = list.entries.find((entry) => entry.provider === provider && entry.id === id);
  if (model === undefined) throw new Error(`there is no ${provider} ${id}`);
  return model;
}

/** Returns the model of a list that has these members for a model of OpenAI. */
function read(id: string, model: Record<string, unknown>) {
  return readModelsDevList({ openai: { models: { [id]: model } } }, providers);
}

test("every model of the sample has our provider and that provider's id", () => {
  expect(list.entries.map(({ provider, id }) => `${provider} ${id}`)).toEqual([
    'openai gpt-4o-mini',
    'openai gpt-5.5',
    'openai text-embedding-3-small',
    'openai gpt-3.5-turbo',
    'anthropic claude-sonnet-4-5',
    'google gemini-2.5-flash',
    'google gemini-2.5-flash-preview-tts',
    'vertex claude-opus-4-6',
    'bedrock global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'groq openai/gpt-oss-120b',
    'groq whisper-large-v3-turbo',
    'alibaba qwen-flash',
    'together meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'fireworks accounts/fireworks/models/gpt-oss-120b',
    'moonshot kimi-k2-0905-preview',
    'nvidia nvidia/nemotron-3-super-120b-a12b',
    'github-models openai/gpt-4.1',
    'azure-openai gpt-4o',
  ]);
});

test('models of unknown providers and self-hosted servers are skipped, none as malformed', () => {
  expect([list.skipped, list.malformed]).toEqual([2, 0]);
});

test('costs are already in USD per million tokens', () => {
  expect(listed('google', 'gemini-2.5-flash').pricing).toEqual({
    prices: { input_per_1m: '0.3', cached_input_per_1m: '0.075', output_per_1m: '2.5', audio_input_per_1m: '1' },
    tiers: [],
    decimals: 2,
  });
});

test('costs of a long context are a tier above 200,000 tokens', () => {
  expect(listed('anthropic', 'claude-sonnet-4-5').pricing?.tiers).toEqual([
    {
      aboveInputTokens: 200_000,
      prices: { input_per_1m: '6', cached_input_per_1m: '0.6', cache_write_per_1m: '7.5', output_per_1m: '22.5' },
    },
  ]);
});

test('unsupported output costs are named', () => {
  const cost = { input: 1, output: 2, output_video: 30, output_audio: 0, output_image: 0 };
  expect(read('a-model', { cost }).entries[0]?.pricing?.unreadOutputCosts).toEqual(['output_video']);
});

test('tiers with a bound override the one without', () => {
  expect(listed('openai', 'gpt-5.5').pricing?.tiers.map((tier) => tier.aboveInputTokens)).toEqual([272_000]);
});

test('a model with zero costs only has no price', () => {
  expect(listed('nvidia', 'nvidia/nemotron-3-super-120b-a12b')).not.toHaveProperty('pricing');
});

test.each([
  ['gpt-4o-mini', 'chat'],
  ['text-embedding-3-small', 'embedding'],
] as const)('%s gets the category %s', (id, category) => {
  expect(listed('openai', id).category).toBe(category);
});

test.each([
  ['dall-e-3', ['text'], ['image'], 'image'],
  ['sora-2', ['text', 'image'], ['video'], 'video'],
  ['tts-1', ['text'], ['audio'], 'tts'],
  ['gpt-audio', ['text', 'audio'], ['text', 'audio'], 'audio'],
  ['whisper-1', ['audio'], ['text'], 'stt'],
  ['rerank-v3.5', ['text'], ['text'], 'rerank'],
  ['gemini-2.5-flash-image', ['text', 'image'], ['text', 'image'], 'image'],
  ['google/lyria-3-clip-preview', ['text', 'image'], ['text', 'audio'], 'music'],
  ['baai/bge-m3', ['text'], ['text'], 'embedding'],
  ['gpt-5.1-chat', ['text', 'image', 'audio'], ['text', 'image', 'audio'], 'chat'],
])('%s, from %p to %p, is of category %s', (id, input, output, category) => {
  expect(read(id, { modalities: { input, output } }).entries[0]?.category as string).toBe(category);
});

test.each([
  ['a-song', ['text'], ['audio']],
  ['a-picture-reader', ['image'], ['text']],
  ['no-modalities', [], []],
  ['qwen-omni-turbo-realtime', ['text', 'audio'], ['text', 'audio']],
])('%s, from %p to %p, has no category', (id, input, output) => {
  expect(read(id, { modalities: { input, output } }).entries[0]).not.toHaveProperty('category');
});

test('name, limits, features and release date are read', () => {
  expect(listed('openai', 'gpt-4o-mini')).toMatchObject({
    name: 'GPT-4o mini',
    contextTokens: 128_000,
    maxOutputTokens: 16_384,
    releasedAtMs: Date.parse('2024-07-18'),
    features: { tools: true, reasoning: false, structured_output: true },
  });
});

test('a PDF is a file, and modalities missing from a list are not denied', () => {
  expect(listed('openai', 'gpt-5.5').input).toEqual({ text: true, image: true, file: true });
});

test('a month without a day is not a release date', () => {
  expect(listed('github-models', 'openai/gpt-4.1')).not.toHaveProperty('releasedAtMs');
});

test('a deprecated model is marked', () => {
  expect(listed('openai', 'gpt-3.5-turbo').isDeprecated).toBe(true);
});

test.each([
  ['a negative cost', { cost: { input: -1 } }],
  ['a string as a cost', { cost: 'free' }],
  ['an invalid date', { release_date: '2025-13-41' }],
  ['a date that February never has', { release_date: '2026-02-31' }],
  ['a name with control characters', { name: 'GPT\u001b[31m' }],
  ['a list of modalities', { modalities: ['text'] }],
  ['a list as a limit', { limit: { context: [1] } }],
  ['an object as tiers', { cost: { input: 1, tiers: {} } }],
])('a model with %s is skipped, counted and named', (_, wrong) => {
  expect(read('bad', wrong)).toMatchObject({
    entries: [],
    skipped: 1,
    malformed: 1,
    firstMalformed: [expect.stringMatching(/^"openai\/bad": /)],
  });
});
