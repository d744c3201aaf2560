import { expect, test } from 'bun:test';
import { type Carries, FEATURES, Losses } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import { inTurnOrder } from './turn-order.ts';

const CARRIES = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;
const said = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const calling: Message = {
  role: 'assistant',
  parts: [{ type: 'tool-call', id: 'a', name: 'look_up', arguments: '{}' }],
};
const found: Message = { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content: [] }] };

function order(messages: readonly Message[], prefill: boolean) {
  const losses = new Losses(CARRIES, {});
  const ordered = inTurnOrder(messages, prefill, losses);
  const told = ordered.map(({ role, parts: [part] }) => `${role}: ${part?.type === 'text' ? part.text : part?.type}`);
  return { told, ordered, losses: losses.all.map(({ verdict }) => verdict) };
}

test('an ordered conversation stays the same object', () => {
  const messages = [said('system', 'Be brief.'), said('user', 'Hi'), calling, found];
  const { ordered, losses } = order(messages, false);
  expect(ordered).toBe(messages);
  expect(losses).toEqual([]);
});

test('an initial answer is put after a user message and the instructions', () => {
  expect(order([said('system', 'Be brief.'), said('assistant', 'Hello.'), said('user', 'Hi')], true)).toMatchObject({
    told: ['system: Be brief.', 'user: Begin.', 'assistant: Hello.', 'user: Hi'],
    losses: ['approximated'],
  });
});

test.each([
  [true, ['user: Hi', 'assistant: It is'], []],
  [false, ['user: Hi', 'assistant: It is', 'user: Continue.'], ['approximated']],
] as const)('a model that continues an answer may do so: %p', (prefill, told, losses) => {
  expect(order([said('user', 'Hi'), said('assistant', 'It is')], prefill)).toMatchObject({ told, losses });
});

test('calls at the end get results, and a message after them', () => {
  const { told, losses } = order([said('user', 'Hi'), calling], true);
  expect(told.slice(0, 2)).toEqual(['user: Hi', 'assistant: tool-call']);
  expect(told.slice(2).join()).toMatch(/tool-result.*user: Continue\./);
  expect(losses).not.toEqual([]);
});

test('a conversation of instructions only is unchanged', () => {
  expect(order([said('system', 'Be brief.')], false).told).toEqual(['system: Be brief.']);
});
