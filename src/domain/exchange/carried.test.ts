import { expect, test } from 'bun:test';
import { carriedRequest } from './carried.ts';
import { type Carries, FEATURES, Losses } from './loss.ts';
import { type ExchangeRequest, emptyRequest } from './request.ts';

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

test('a request that is carried whole stays the same object', () => {
  const { request, got, losses } = carried({ topK: 3, frequencyPenalty: 1, stop: ['x'] }, exact);
  expect(got).toBe(request);
  expect(losses).toEqual([]);
});

test('what is not carried is gone and noted, what is said in another way stays', () => {
  const responseFormat = { type: 'json' } as const;
  const { got, losses } = carried({ topK: 3, seed: 5, stop: ['x'], responseFormat });
  expect(got).toEqual({ ...emptyRequest('other', { 'top-k': 'config.topK' }), seed: 5, responseFormat });
  expect(losses).toEqual(['config.topK dropped', 'stop refused', 'json-mode approximated']);
});

test('a usual value goes where it is known, and nothing is lost where it is not', () => {
  const usual = { frequencyPenalty: 0, topK: 0, toolChoice: { mode: 'auto' }, tools } as const;
  const { got, losses } = carried(usual);
  expect([got.frequencyPenalty, got.topK, got.toolChoice]).toEqual([null, null, null]);
  expect(losses).toEqual([]);
  expect(carried(usual, exact).got).toMatchObject(usual);
});

test('a choice among no tools is no choice, but in the words of a client of the same format', () => {
  const said = { toolChoice: { mode: 'tool', name: 'f' } } as const;
  expect(carried(said, exact)).toMatchObject({ got: { toolChoice: null }, losses: ['tool-choice-named dropped'] });
  expect(carried({ ...said, tools }, exact)).toMatchObject({ got: said, losses: [] });
  expect(carried(said, exact, true)).toMatchObject({ got: said, losses: [] });
});

test('a choice of which one half is not carried goes whole', () => {
  const toolChoice = { mode: 'allowed', names: ['f'], required: true } as const;
  const { got, losses } = carried({ toolChoice, tools });
  expect(got.toolChoice).toBeNull();
  expect(losses).toEqual(['tool-choice-required dropped']);
});
