import { expect, test } from 'bun:test';
import { type Carries, FEATURES, Losses } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import { emptyRequest, type FunctionTool } from '../../../domain/exchange/request.ts';
import { withFewMarks } from './cache-marks.ts';

const CARRIES = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;
const cache = { ttl: '5m' } as const;
const tool: FunctionTool = {
  ...{ type: 'function', name: 'f', description: null, parameters: null, strict: null, path: 'tools[0]' },
  cache,
};
const text = (at: number) => ({ type: 'text', text: 'Hi', cache, path: `messages[${at}].content[0]` }) as const;
const messages: readonly Message[] = [
  { role: 'user', parts: [text(0)] },
  { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content: [text(1)] }] },
  { role: 'user', parts: [text(2)] },
];
const request = { ...emptyRequest('openai-chat', {}), tools: [tool], messages };

test('the last marks stay, and each other one is reported', () => {
  const losses = new Losses(CARRIES, {});
  const few = withFewMarks(request, 1, 'one is enough', losses);
  expect(losses.all.map(({ field }) => field)).toEqual([
    'tools[0].cache_control',
    'messages[0].content[0].cache_control',
    'messages[1].content[0].cache_control',
  ]);
  expect(JSON.stringify(few).split('"cache"').length - 1).toBe(1);
  expect(few.messages[2]).toEqual(request.messages[2] as Message);
});

test('a request with few marks stays the same object', () => {
  expect(withFewMarks(request, 4, 'four', new Losses(CARRIES, {}))).toBe(request);
});

test('a model without marks has them reported elsewhere', () => {
  const lacking = { ...CARRIES, 'cache-marks': { verdict: 'dropped', why: 'none' } } as const;
  expect(withFewMarks(request, 1, 'one', new Losses(lacking, {}))).toBe(request);
});
