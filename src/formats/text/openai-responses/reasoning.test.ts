import { expect, test } from 'bun:test';
import { issuing } from './reasoning.ts';

const call = { purpose: 'generate', model: null, stream: null, framing: 'sse' } as const;

function presented(input: unknown): readonly string[] {
  const body = { model: 'gpt', input };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return issuing.presented({ call, model: 'gpt', stream: false, wantsStreamUsage: false, bytes, body });
}

const stored = { id: 'rs_stored', type: 'reasoning', summary: [] };
const encrypted = { id: 'rs_encrypted', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' };

test('the reasoning items of a response are found, encrypted or stored', () => {
  const message = { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: '"id": "rs_quoted"' }] };
  expect(issuing.issued(JSON.stringify({ id: 'resp_1', output: [stored, message, encrypted] }))).toEqual([
    ...['rs_stored', 'rs_encrypted'],
  ]);
});

test('the reasoning items of a request are found, encrypted or stored', () => {
  expect(presented([{ role: 'user', content: 'Hi' }, stored, encrypted, { type: 'reasoning', summary: [] }])).toEqual([
    ...['rs_stored', 'rs_encrypted'],
  ]);
  expect(presented('Hi')).toEqual([]);
});

test("a state's key is its item's id", () => {
  const state = { data: JSON.stringify(stored), provider: null, channel: null };
  expect(issuing.keyOf({ ...state, family: 'openai-responses' })).toBe('rs_stored');
  expect(issuing.keyOf({ ...state, family: 'anthropic' })).toBeNull();
});
