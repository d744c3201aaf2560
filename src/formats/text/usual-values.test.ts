import { describe, expect, test } from 'bun:test';
import { type Carries, FEATURES, type Feature, type Loss } from '../../domain/exchange/loss.ts';
import { type ExchangeRequest, emptyRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { upstreamFormats } from '../index.ts';

/* A request's features are compared with those of the target in one place, independent of the upstream's format. */

const UPSTREAMS = [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);
const NAMES = UPSTREAMS.map(({ name }) => name);
/** For each vendor, models with many features and models with few. */
const MODELS = ['up', 'claude-sonnet-4-5', 'anthropic.claude-opus-4-7-v1:0', 'gpt-5', 'gemini-2.5-pro', 'command-r'];

const FUNCTION = { type: 'function', name: 'f', description: null, parameters: null, strict: null } as const;
const hi = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const;

const USUAL: readonly Partial<ExchangeRequest>[] = [
  { frequencyPenalty: 0, presencePenalty: 0, logitBias: {} },
  { logitBias: { 50256: 0 } },
  { candidateCount: 1 },
  { temperature: 1 },
  { topP: 1 },
  { topK: 0 },
  { stop: [] },
  { responseFormat: { type: 'text' } },
  { reasoning: { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null } },
  { verbosity: 'medium' },
  { modalities: ['text'] },
  { user: '', metadata: {}, cacheKey: '' },
  { serviceTier: 'auto' },
  { serviceTier: 'default' },
  { tools: [FUNCTION], toolChoice: { mode: 'auto' }, parallelToolCalls: true },
  { toolChoice: { mode: 'none' }, parallelToolCalls: false },
];
const CASES: readonly Partial<ExchangeRequest>[] = [...USUAL, Object.assign({}, ...USUAL.slice(0, -1), { topP: null })];

function lossesAt(name: string, said: Partial<ExchangeRequest>, lacks: readonly Feature[], model: string) {
  const format = upstreamFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  const lacked = lacks.map((feature) => [feature, { verdict: 'dropped', why: 'it is not there' }]);
  const carries: Carries = { ...format.carries, ...Object.fromEntries(lacked) };
  const target = { upstreamModel: model, stream: false, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = format.encodeRequest({ ...emptyRequest('other', {}), messages: [hi], ...said }, target);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  return { losses: encoded.losses, value: encoded.value };
}

describe.each(NAMES)('default values lose nothing at %s', (name) => {
  test.each(CASES)('%j', (said) => {
    for (const model of MODELS) {
      // Cohere has a different default, and its range ends below 1.
      if (said.topP !== 1 || name !== 'cohere-chat') expect(lossesAt(name, said, [], model).losses).toEqual([]);
      expect(lossesAt(name, said, KNOBS, model).losses).toEqual([]);
    }
  });
});

/** A value that asks for each feature with a separate field. */
const ASKING: Partial<Record<Feature, Partial<ExchangeRequest>>> = {
  'max-output-tokens': { maxOutputTokens: 100 },
  temperature: { temperature: 0.5 },
  'top-p': { topP: 0.5 },
  'top-k': { topK: 5 },
  'frequency-penalty': { frequencyPenalty: 0.5 },
  'presence-penalty': { presencePenalty: 0.5 },
  seed: { seed: 5 },
  stop: { stop: ['x'] },
  'candidate-count': { candidateCount: 2 },
  logprobs: { logprobs: { top: 0 } },
  'logit-bias': { logitBias: { 1: 5 } },
  'json-mode': { responseFormat: { type: 'json' } },
  'json-schema': {
    responseFormat: { type: 'json-schema', schema: { type: 'object' }, name: 'n', description: 'd', strict: true },
  },
  verbosity: { verbosity: 'low' },
  'output-modalities': { modalities: ['text', 'audio'] },
  user: { user: 'ann' },
  metadata: { metadata: { a: 'b' } },
  'service-tier': { serviceTier: 'flex' },
  'cache-key': { cacheKey: 'k' },
  'tool-choice': { toolChoice: { mode: 'none' }, tools: [FUNCTION] },
  'tool-choice-required': { toolChoice: { mode: 'required' }, tools: [FUNCTION] },
  'tool-choice-named': { toolChoice: { mode: 'tool', name: 'f' }, tools: [FUNCTION] },
  'tool-choice-allowed': { toolChoice: { mode: 'allowed', names: ['f'], required: false }, tools: [FUNCTION] },
  'parallel-tool-calls': { parallelToolCalls: false, tools: [FUNCTION] },
};
const THOUGHTS = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null } as const;
/** Neither measure of thinking is carried. */
const WITHOUT_THINKING = ['reasoning-effort', 'reasoning-budget'] as const;
const REASONING = {
  'reasoning-effort': { ...THOUGHTS, effort: 'high' },
  'reasoning-budget': { ...THOUGHTS, budgetTokens: 5_000 },
  'reasoning-summary': { ...THOUGHTS, summary: 'detailed' },
} as const;
const REASONING_FEATURES = ['reasoning-effort', 'reasoning-budget', 'reasoning-summary'] as const;

const KNOBS = FEATURES.filter((feature) => ASKING[feature] !== undefined);

test.each(KNOBS)('a target without %s reports one loss in any format, and gets the request without it', (feature) => {
  const { tools = [], ...asked } = ASKING[feature] ?? {};
  const expected: readonly Loss[] = [{ field: feature, verdict: 'dropped', why: 'it is not there' }];
  for (const name of NAMES) {
    const { losses, value } = lossesAt(name, { tools, ...asked }, [feature], 'up');
    expect({ name, losses }).toEqual({ name, losses: expected });
    expect({ name, value }).toEqual({ name, value: lossesAt(name, { tools }, [feature], 'up').value });
  }
});

describe.each(REASONING_FEATURES)('a target without %s', (feature) => {
  const reasoning = REASONING[feature];
  const loss = { field: feature, verdict: 'dropped', why: 'it is not there' } as const;

  test('reports the loss in any format', () => {
    for (const name of NAMES) {
      for (const model of MODELS) {
        const { losses } = lossesAt(name, { reasoning }, [feature], model);
        expect({ name, model, losses }).toEqual({ name, model, losses: expect.arrayContaining([loss]) });
      }
    }
  });

  test('and without any reasoning reports one loss, and gets the request without it', () => {
    const lacks = [...WITHOUT_THINKING, feature];
    for (const name of NAMES) {
      const { losses, value } = lossesAt(name, { reasoning }, lacks, 'up');
      expect({ name, losses }).toEqual({ name, losses: [loss] });
      expect({ name, value }).toEqual({ name, value: lossesAt(name, {}, lacks, 'up').value });
    }
  });
});

test.each([
  { enabled: true },
  { enabled: false },
  { effort: 'none' },
  { adaptive: true },
  { budgetTokens: 0 },
] as const)('a switch is one loss at a target without reasoning: %j', (said) => {
  for (const name of NAMES) {
    const { losses, value } = lossesAt(name, { reasoning: { ...THOUGHTS, ...said } }, WITHOUT_THINKING, 'up');
    const loss = { field: 'reasoning-effort', verdict: 'dropped', why: 'it is not there' } as const;
    expect({ name, losses }).toEqual({ name, losses: [loss] });
    expect({ name, value }).toEqual({ name, value: lossesAt(name, {}, WITHOUT_THINKING, 'up').value });
  }
});
