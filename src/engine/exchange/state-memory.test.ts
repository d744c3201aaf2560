import { expect, test } from 'bun:test';
import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { Part } from '../../domain/exchange/part.ts';
import { emptyRequest } from '../../domain/exchange/request.ts';
import { partsOfResponse } from '../../domain/exchange/response-parts.ts';
import { StateMemory } from './state-memory.ts';

const state: OpaqueState = { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'a' };
const thought: Part = { type: 'reasoning', text: 'Hm.', state };
const call: Part = { type: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{}' };
const answer = (parts: readonly Part[]) => ({
  id: 'msg_1',
  created: null,
  candidates: [{ index: 0, parts, finish: { unified: 'tool-calls', raw: 'tool_use' } as const }],
  usage: null,
});
const request = (parts: readonly Part[]) => ({
  ...emptyRequest('openai-chat', {}),
  messages: [{ role: 'assistant' as const, parts }],
});

test('a call that comes back without its reasoning gets it back', () => {
  const memory = new StateMemory();
  memory.rememberAnswer('acme', answer([thought, call]));
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([thought, call]);
});

test('the same from a stream', () => {
  const memory = new StateMemory();
  const observer = memory.observer('acme');
  for (const part of partsOfResponse(answer([thought, { ...call, state }]))) observer.see(part);
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([thought, { ...call, state }]);
});

test('what the client brings wins', () => {
  const memory = new StateMemory();
  memory.rememberAnswer('acme', answer([thought, call]));
  const own = request([{ type: 'reasoning', text: 'Mine.', state: { ...state, data: 'own' } }, call]);
  expect(memory.restore('acme', own)).toBe(own);
});

test("another account's call is another call", () => {
  const memory = new StateMemory();
  memory.rememberAnswer('acme', answer([thought, call]));
  const other = request([call]);
  expect(memory.restore('other', other).messages[0]?.parts).toEqual([call]);
});

test('the oldest go when the bytes are used up', () => {
  const memory = new StateMemory(2_000);
  for (let index = 0; index < 100; index++) {
    memory.rememberAnswer('acme', answer([thought, { ...call, id: `toolu_${index}` }]));
  }
  const restored = (id: string) => memory.restore('acme', request([{ ...call, id }])).messages[0]?.parts.length;
  expect(restored('toolu_0')).toBe(1);
  expect(restored('toolu_99')).toBe(2);
});
