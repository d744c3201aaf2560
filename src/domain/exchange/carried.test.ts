import { describe, expect, test } from 'bun:test';
import { carriedRequest } from './carried.ts';
import { type Carries, FEATURES, Losses } from './loss.ts';
import { type ExchangeRequest, emptyRequest, type ReasoningOptions } from './request.ts';

const exact = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;
const dropped = { verdict: 'dropped', why: 'it has none' } as const;
const lacking: Carries = {
  ...exact,
  ...{ 'frequency-penalty': dropped, 'top-k': dropped, 'tool-choice': dropped, 'tool-choice-required': dropped },
  'json-mode': { verdict: 'approximated', why: 'it is told in words' },
  stop: { verdict: 'refused', why: 'it goes on' },
};
const tools = [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }] as const;

function carried(said: Partial<ExchangeRequest>, carries = lacking, isOwn = false) {
  const request = { ...emptyRequest('other', { 'top-k': 'config.topK' }), ...said };
  const losses = new Losses(carries, request.names);
  const got = carriedRequest(request, losses, isOwn);
  return { request, got, losses: losses.all.map(({ field, verdict }) => `${field} ${verdict}`) };
}

test('a fully carried request stays the same object', () => {
  const { request, got, losses } = carried({ topK: 3, frequencyPenalty: 1, stop: ['x'] }, exact);
  expect(got).toBe(request);
  expect(losses).toEqual([]);
});

test('a field that is not carried is removed and reported; one expressed differently stays', () => {
  const responseFormat = { type: 'json' } as const;
  const { got, losses } = carried({ topK: 3, seed: 5, stop: ['x'], responseFormat });
  expect(got).toEqual({ ...emptyRequest('other', { 'top-k': 'config.topK' }), seed: 5, responseFormat });
  expect(losses).toEqual(['config.topK dropped', 'stop refused', 'json-mode approximated']);
});

test('a default value is carried if supported, and dropped without a loss if not', () => {
  const usual = { frequencyPenalty: 0, topK: 0, toolChoice: { mode: 'auto' }, tools } as const;
  const { got, losses } = carried(usual);
  expect([got.frequencyPenalty, got.topK, got.toolChoice]).toEqual([null, null, null]);
  expect(losses).toEqual([]);
  expect(carried(usual, exact).got).toMatchObject(usual);
});

test('a tool choice without tools is dropped, unless client and upstream share a format', () => {
  const said = { toolChoice: { mode: 'tool', name: 'f' } } as const;
  expect(carried(said, exact)).toMatchObject({ got: { toolChoice: null }, losses: ['tool-choice-named dropped'] });
  expect(carried({ ...said, tools }, exact)).toMatchObject({ got: said, losses: [] });
  expect(carried(said, exact, true)).toMatchObject({ got: said, losses: [] });
});

test('a tool choice that is only half carried is dropped as a whole', () => {
  const toolChoice = { mode: 'allowed', names: ['f'], required: true } as const;
  const { got, losses } = carried({ toolChoice, tools });
  expect(got.toolChoice).toBeNull();
  expect(losses).toEqual(['tool-choice-required dropped']);
});

describe('the reasoning setting', () => {
  const nothing = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null } as const;
  const told = { verdict: 'approximated', why: 'it is told in another way' } as const;
  type Carried = typeof dropped | typeof told | 'exact';
  const at = (effort: Carried, budget: Carried, said: Partial<ReasoningOptions>, summary: Carried = 'exact') => {
    const carries = { ...exact, 'reasoning-effort': effort, 'reasoning-budget': budget, 'reasoning-summary': summary };
    const { got, losses } = carried({ reasoning: { ...nothing, ...said } }, carries);
    return [got.reasoning, losses];
  };
  const high = { effort: 'high' } as const;
  const tokens = { budgetTokens: 500 } as const;

  test('stays as requested if all of it is carried in some way', () => {
    const said = { ...nothing, ...high, ...tokens, summary: 'auto' } as const;
    expect(at('exact', 'exact', said)).toEqual([said, []]);
    expect(at('exact', told, said)).toEqual([said, ['reasoning-budget approximated']]);
    expect(at(told, 'exact', said, told)).toEqual([
      said,
      ['reasoning-effort approximated', 'reasoning-summary approximated'],
    ]);
  });

  test.each([
    ['a budget', 'exact', dropped, tokens, ['reasoning-budget dropped']],
    ['an effort', dropped, 'exact', high, ['reasoning-effort dropped']],
    ['a budget that would become an effort', dropped, told, tokens, ['reasoning-budget dropped']],
    ['an effort that would become a budget', told, dropped, high, ['reasoning-effort dropped']],
  ] as const)('loses %s that is not carried, and reasoning stays on', (_what, effort, budget, said, losses) => {
    expect(at(effort, budget, said)).toEqual([{ ...nothing, enabled: true }, [...losses]]);
  });

  test('keeps one measure if only the other is not carried', () => {
    expect(at('exact', dropped, { ...high, ...tokens })).toEqual([
      { ...nothing, ...high },
      ['reasoning-budget dropped'],
    ]);
    expect(at(dropped, 'exact', { ...high, ...tokens })).toEqual([
      { ...nothing, ...tokens },
      ['reasoning-effort dropped'],
    ]);
  });

  test.each([
    { enabled: true },
    { enabled: false },
    { effort: 'none' },
    { budgetTokens: 0 },
    { adaptive: true },
  ] as const)('is lost as a switch only if no part of reasoning is carried: %j', (said) => {
    const asked = { ...nothing, ...said };
    for (const [effort, budget] of [
      ['exact', dropped],
      [dropped, told],
      [told, 'exact'],
    ] as const) {
      expect(at(effort, budget, said)).toEqual([asked, []]);
    }
    expect(at(dropped, dropped, said)).toEqual([null, ['reasoning-effort dropped']]);
  });

  test('keeps its summary as far as that is carried, and drops it without reasoning', () => {
    expect(at('exact', 'exact', { ...high, summary: 'none' }, dropped)).toEqual([
      { ...nothing, ...high },
      ['reasoning-summary dropped'],
    ]);
    expect(at(dropped, dropped, { summary: 'none' }, dropped)).toEqual([null, []]);
    expect(at(dropped, dropped, { summary: 'auto' }, dropped)).toEqual([null, ['reasoning-summary dropped']]);
  });
});
