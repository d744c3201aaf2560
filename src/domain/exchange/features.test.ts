import { describe, expect, test } from 'bun:test';
import { featuresIn } from './features.ts';
import { type ExchangeRequest, emptyRequest } from './request.ts';

const names = { 'top-k': 'generationConfig.topK', 'tool-choice-allowed': 'toolConfig' };
const asking = (said: Partial<ExchangeRequest>) => featuresIn({ ...emptyRequest('other', names), ...said });
const told = (said: Partial<ExchangeRequest>) =>
  asking(said).map(({ feature, isUsual }) => `${feature}${isUsual ? ' as usual' : ''}`);
const tools = [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }] as const;
const thoughts = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null } as const;

/** Each field alone, with a value that asks for something. */
const SAID: readonly (readonly [key: keyof ExchangeRequest, value: unknown, ...features: readonly string[]])[] = [
  ['maxOutputTokens', 5, 'max-output-tokens'],
  ['temperature', 0, 'temperature'],
  ['topP', 0, 'top-p'],
  ['topK', 4, 'top-k'],
  ['frequencyPenalty', -1, 'frequency-penalty'],
  ['presencePenalty', 0.1, 'presence-penalty'],
  ['seed', 0, 'seed'],
  ['stop', ['x'], 'stop'],
  ['candidateCount', 2, 'candidate-count'],
  ['logprobs', { top: 0 }, 'logprobs'],
  ['logitBias', { 1: 0, 2: 3 }, 'logit-bias'],
  ['responseFormat', { type: 'json' }, 'json-mode'],
  ['responseFormat', { type: 'json-schema', schema: {} }, 'json-schema'],
  ['reasoning', { ...thoughts, effort: 'none' }, 'reasoning-effort'],
  ['reasoning', { ...thoughts, adaptive: true }, 'reasoning-effort'],
  ['reasoning', { ...thoughts, budgetTokens: 0 }, 'reasoning-effort'],
  ['reasoning', { ...thoughts, effort: 'low', budgetTokens: 5 }, 'reasoning-budget', 'reasoning-effort'],
  ['reasoning', { ...thoughts, enabled: false, effort: 'low', budgetTokens: 5 }, 'reasoning-effort'],
  ['reasoning', { ...thoughts, budgetTokens: 5, summary: 'auto' }, 'reasoning-budget', 'reasoning-summary'],
  ['verbosity', 'low', 'verbosity'],
  ['modalities', ['text', 'audio'], 'output-modalities'],
  ['user', 'ann', 'user'],
  ['metadata', { a: 1 }, 'metadata'],
  ['serviceTier', 'flex', 'service-tier'],
  ['cacheKey', 'k', 'cache-key'],
  ['toolChoice', { mode: 'required' }, 'tool-choice-required'],
  ['toolChoice', { mode: 'tool', name: 'f' }, 'tool-choice-named'],
  ['toolChoice', { mode: 'allowed', names: ['f'], required: false }, 'tool-choice-allowed'],
  ['toolChoice', { mode: 'allowed', names: ['f'], required: true }, ...['tool-choice-allowed', 'tool-choice-required']],
];

const CALLS = 'parallel-tool-calls';
const IN_ITS_PLACE: readonly string[] = ['format', 'names', 'messages', 'tools', 'rest', 'parallelToolCalls'];

test.each(SAID)('%s %j asks for its own features', (key, value, ...features) => {
  const asked = asking({ [key]: value });
  expect(asked.map((one) => `${one.key} ${one.feature} ${one.isUsual}`)).toEqual(
    features.map((name) => `${key} ${name} false`),
  );
});

test('every field of a request is covered', () => {
  const tried = new Set([...SAID.map(([key]) => key), ...IN_ITS_PLACE]);
  expect(Object.keys(emptyRequest('other', {})).filter((key) => !tried.has(key))).toEqual([]);
});

describe('a setting without effect asks for nothing', () => {
  test.each<[Partial<ExchangeRequest>, ...string[]]>([
    [{}],
    [{ stop: [], responseFormat: { type: 'text' }, reasoning: thoughts }],
    [{ frequencyPenalty: 0, presencePenalty: 0 }, 'frequency-penalty as usual', 'presence-penalty as usual'],
    [{ logitBias: {} }, 'logit-bias as usual'],
    [{ logitBias: { 1: 0 } }, 'logit-bias as usual'],
    [{ candidateCount: 1, temperature: 1, topP: 1 }, ...['temperature', 'top-p', 'candidate-count'].map(usual)],
    [{ topK: -1 }, 'top-k as usual'],
    [{ verbosity: 'medium', modalities: ['TEXT'] }, 'verbosity as usual', 'output-modalities as usual'],
    [{ metadata: {}, user: '', cacheKey: '' }, 'user as usual', 'metadata as usual', 'cache-key as usual'],
    [{ serviceTier: 'auto' }, 'service-tier as usual'],
    [{ serviceTier: 'default' }, 'service-tier as usual'],
    [{ toolChoice: { mode: 'auto' }, parallelToolCalls: true, tools }, ...['tool-choice', CALLS].map(usual)],
    [{ toolChoice: { mode: 'none' }, parallelToolCalls: false }, ...['tool-choice', CALLS].map(usual)],
    [{ toolChoice: { mode: 'none' }, parallelToolCalls: false, tools }, 'tool-choice', CALLS],
  ])('%j', (said, ...features) => {
    expect(told(said)).toEqual(features);
  });
});

test("each feature has the client's name of the field", () => {
  const said = asking({ topK: 3, seed: 1 });
  expect(said.map(({ field }) => field)).toEqual(['generationConfig.topK', 'seed']);
});

function usual(feature: string): string {
  return `${feature} as usual`;
}
