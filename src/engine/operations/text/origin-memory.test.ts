import { expect, test } from 'bun:test';
import { emptyRequest } from '../../../domain/exchange/request.ts';
import type { StateIssuing } from '../../../formats/text/provider-state.ts';
import { FakeConversationState } from '../../call/testing/fake-conversation-state.ts';
import { OriginMemory } from './origin-memory.ts';

const issuing: StateIssuing = { issued: () => [], presented: () => [], keyOf: ({ data }) => data };

test('the issuers of a conversation are listed once, the latest first, per account', () => {
  const memory = new OriginMemory(new FakeConversationState());
  memory.remember('acme', ['rs_1', 'rs_2'], 'a');
  memory.remember('acme', ['rs_3'], 'b');
  expect(memory.channelsOf('acme', ['rs_1', 'rs_2', 'rs_3', 'rs_4'])).toEqual(['b', 'a']);
  expect(memory.channelsOf('globex', ['rs_1'])).toEqual([]);
});

test('a state without an origin gets the remembered one', () => {
  const memory = new OriginMemory(new FakeConversationState());
  memory.remember('acme', ['rs_1'], 'a');
  const state = (data: string) => ({ family: 'openai-responses' as const, data, provider: null, channel: null });
  const request = {
    ...emptyRequest('openai-responses', {}),
    messages: [
      {
        role: 'assistant' as const,
        parts: ['rs_1', 'rs_2'].map((data) => ({ type: 'reasoning' as const, text: '', state: state(data) })),
      },
    ],
  };
  const parts = memory.withOrigins('acme', request, issuing).messages[0]?.parts ?? [];
  expect(parts.map((part) => part.type === 'reasoning' && part.state?.channel)).toEqual(['a', null]);
});

test('the oldest origins are evicted', () => {
  const memory = new OriginMemory(new FakeConversationState(), 2);
  memory.remember('acme', ['rs_1', 'rs_2', 'rs_3'], 'a');
  expect(memory.channelsOf('acme', ['rs_1'])).toEqual([]);
  expect(memory.channelsOf('acme', ['rs_3'])).toEqual(['a']);
});
