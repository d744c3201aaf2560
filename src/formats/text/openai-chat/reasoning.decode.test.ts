import { describe, expect, test } from 'bun:test';
import { withIssuedState } from '../../../domain/exchange/issued-state.ts';
import { wrapState } from '../shared/state-token.ts';
import { requestOf } from './testing/exchange.ts';

const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const CLAUDE = { format: 'anthropic-claude-v1', index: 0 };

function request(message: object) {
  return requestOf({ messages: [{ role: 'assistant', content: 'a', ...message }] });
}

function partsFor(family: 'anthropic' | 'google' | 'openai-chat', message: object) {
  return withIssuedState(request(message), family).messages[0]?.parts;
}

describe("a router's item of vendor reasoning", () => {
  const details = [
    { type: 'reasoning.text', text: 'h', ...CLAUDE },
    { type: 'reasoning.text', text: 'm', ...CLAUDE },
    { type: 'reasoning.text', signature: 'sig', ...CLAUDE },
    { type: 'reasoning.encrypted', data: 'red', ...CLAUDE, index: 1 },
  ];

  test('is sent to the vendor as issued', () => {
    const unknown = { provider: null, channel: null };
    expect(partsFor('anthropic', { reasoning_details: details })).toMatchObject([
      { type: 'reasoning', text: 'hm', state: { family: 'anthropic', data: 'sig', ...unknown } },
      { type: 'reasoning', text: '', redacted: true, state: { family: 'anthropic', data: 'red', ...unknown } },
      { type: 'text', text: 'a' },
    ]);
  });

  test('stays the router’s for a chat upstream', () => {
    const parts = partsFor('openai-chat', { reasoning_details: details }) ?? [];
    const items = parts.flatMap((part) => (part.type === 'reasoning' && part.state ? JSON.parse(part.state.data) : []));
    expect(items).toEqual([{ type: 'reasoning.text', text: 'hm', signature: 'sig', ...CLAUDE }, details[3]]);
  });

  test('is put back onto its call', () => {
    const item = { type: 'reasoning.encrypted', data: 'g', id: 'call_1', format: 'google-gemini-v1' };
    const parts = partsFor('google', { tool_calls: [CALL], reasoning_details: [item] });
    expect(parts).toMatchObject([{ type: 'text' }, { type: 'tool-call', state: { family: 'google', data: 'g' } }]);
  });

  test("is not the vendor's if bound to the router’s key, or if it is a token of the gateway", () => {
    const token = wrapState({ family: 'anthropic', data: 'own', provider: 'p', channel: 'c' });
    const openai = { type: 'reasoning.encrypted', data: 'enc', format: 'openai-responses-v1' };
    const own = { type: 'reasoning.text', text: 'x', signature: token, format: 'anthropic-claude-v1' };
    for (const part of request({ reasoning_details: [openai, own] }).messages[0]?.parts ?? []) {
      expect(part).not.toHaveProperty('issued');
    }
  });
});

test('thinking blocks in a message or its content are Claude’s', () => {
  const blocks = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'red' },
  ];
  const wanted = [
    { type: 'reasoning', text: 'hm', state: { family: 'anthropic', data: 'sig' } },
    { type: 'reasoning', redacted: true, state: { family: 'anthropic', data: 'red' } },
    { type: 'text', text: 'a' },
  ];
  expect(partsFor('anthropic', { reasoning_content: 'hm', thinking_blocks: blocks })).toMatchObject(wanted);
  expect(partsFor('anthropic', { content: [...blocks, { type: 'text', text: 'a' }] })).toMatchObject(wanted);
  // A chat upstream gets the blocks back unchanged.
  expect(request({ thinking_blocks: blocks }).rest).toMatchObject([
    { path: 'messages[0].thinking_blocks', value: blocks },
  ]);
});

test('duplicate reasoning is read once, and reported', () => {
  const said = request({ reasoning: 'h m', reasoning_content: 'hm' });
  expect(said.messages[0]?.parts.filter(({ type }) => type === 'reasoning')).toHaveLength(1);
  expect(said.rest).toMatchObject([{ path: 'messages[0].reasoning', verdict: 'approximated' }]);
  const odd = request({ reasoning: { text: 'x' }, reasoning_content: ['y'] });
  expect(odd.rest.map(({ path }) => path)).toEqual(['messages[0].reasoning_content', 'messages[0].reasoning']);
});

test('a call under both names is read once, and a different or unknown one is reported', () => {
  const calls = { tool_calls: [CALL], function_call: { name: 'f', arguments: '{}' } };
  const callsOf = (message: object) => request(message).messages[0]?.parts.filter(({ type }) => type === 'tool-call');
  expect(callsOf(calls)).toHaveLength(1);
  expect(request({ ...calls, function_call: { name: '', arguments: '' } }).rest).toEqual([]);
  expect(request({ ...calls, function_call: { name: 'g', arguments: '' } }).rest).toMatchObject([
    { path: 'messages[0].function_call', verdict: 'dropped' },
  ]);
  expect(request({ tool_calls: [{ id: 'x', type: 'mcp', mcp: {} }] }).rest).toMatchObject([
    { path: 'messages[0].tool_calls[0]', verdict: 'refused' },
  ]);
});

test.each(['google', 'vertex'])('a %s signature on a call is the call’s state', (vendor) => {
  const call = { ...CALL, extra_content: { [vendor]: { thought_signature: 'c2ln' } } };
  const [part] = request({ content: null, tool_calls: [call] }).messages[0]?.parts ?? [];
  expect(part).toMatchObject({ type: 'tool-call', state: { family: 'google', data: 'c2ln' } });
});
