import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { clientFormats } from '../../../formats/index.ts';
import type { InboundCall, ParsedRequest } from '../../../formats/text/client-request.ts';
import { FakeConversationState } from '../../call/testing/fake-conversation-state.ts';
import { ConversationMemory, conversationKeys } from './conversation-memory.ts';

const LONG = 'A long passage that is worth a place in a cache. '.repeat(200);

const call: InboundCall = { purpose: 'generate', model: 'm', stream: false, framing: 'sse' };

function parsed(formatName: string, body: unknown): ParsedRequest {
  const request = formatNamed(formatName).parseRequest(new TextEncoder().encode(JSON.stringify(body)), call);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

function formatNamed(name: string) {
  const format = clientFormats.get(name);
  if (!format) throw new Error(`no format ${name}`);
  return format;
}

function keysOf(formatName: string, body: unknown, accountId = 'acme') {
  return conversationKeys(accountId, formatNamed(formatName), parsed(formatName, body));
}

/** Two turns of one conversation in each format. Members that a client may change in between are changed. */
const CONVERSATIONS: Readonly<Record<string, readonly [first: unknown, second: unknown]>> = {
  'openai-chat': [
    { model: 'm', messages: [{ role: 'user', content: LONG }] },
    {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'text', text: LONG }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
    },
  ],
  'openai-responses': [
    { model: 'm', instructions: LONG, input: 'Hello' },
    {
      model: 'm',
      instructions: LONG,
      input: [
        { role: 'user', content: 'Hello' },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
      ],
    },
  ],
  'anthropic-messages': [
    {
      model: 'm',
      max_tokens: 9,
      system: LONG,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] }],
    },
    {
      model: 'm',
      max_tokens: 9,
      system: LONG,
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: [{ type: 'text', text: 'More', cache_control: { type: 'ephemeral' } }] },
      ],
    },
  ],
  gemini: [
    { systemInstruction: { parts: [{ text: LONG }] }, contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    {
      systemInstruction: { parts: [{ text: LONG }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'Yes?' }] },
        { role: 'user', parts: [{ text: 'More' }] },
      ],
    },
  ],
};

describe('a conversation returns to the channel of its last response', () => {
  for (const [name, [first, second]] of Object.entries(CONVERSATIONS)) {
    test(`in ${name}`, () => {
      const memory = new ConversationMemory(new FakeConversationState());
      memory.remember(keysOf(name, first), 'one', 0);
      expect(memory.channelOf(keysOf(name, second), 1_000)).toBe('one');
      expect(memory.channelOf(keysOf(name, second, 'somebody-else'), 1_000)).toBeNull();
      expect(memory.channelOf(keysOf(name, first), 1_000)).toBeNull();
      expect(memory.channelOf(keysOf(name, second), 3_600_000)).toBeNull();
    });
  }

  test('unless it is too short for a cache and holds no state', () => {
    const memory = new ConversationMemory(new FakeConversationState());
    const first = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
    memory.remember(keysOf('anthropic-messages', first), 'one', 0);
    const turn = (answer: unknown) => ({
      ...first,
      messages: [...first.messages, { role: 'assistant', content: answer }, { role: 'user', content: 'More' }],
    });
    expect(memory.channelOf(keysOf('anthropic-messages', turn('Yes?')), 1)).toBeNull();
    const thinking = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Yes?' },
    ];
    expect(memory.channelOf(keysOf('anthropic-messages', turn(thinking)), 1)).toBe('one');
  });

  test('and requests with the same prompt cache key stay together from the first turn', () => {
    const memory = new ConversationMemory(new FakeConversationState());
    const asking = (content: string) => ({ model: 'm', prompt_cache_key: 'k', messages: [{ role: 'user', content }] });
    memory.remember(keysOf('openai-chat', asking('One')), 'one', 0);
    expect(memory.channelOf(keysOf('openai-chat', asking('Two')), 1)).toBe('one');
  });

  test('while it is among the newest', () => {
    const memory = new ConversationMemory(new FakeConversationState(), 4);
    const keys = (id: number) => ({ accountId: 'acme', own: [`${id}`], earlier: [`${id}`] });
    for (const id of [1, 2, 1, 3]) memory.remember(keys(id), `channel-${id}`, 0);
    expect([1, 2, 3].map((id) => memory.channelOf(keys(id), 0))).toEqual(['channel-1', null, 'channel-3']);
  });

  test('unaffected by the conversations of other accounts', () => {
    const memory = new ConversationMemory(new FakeConversationState(), 4);
    const keys = (accountId: string, id: number) => ({ accountId, own: [`${id}`], earlier: [`${id}`] });
    memory.remember(keys('quiet', 0), 'one', 0);
    for (let id = 0; id < 100; id++) memory.remember(keys('loud', id), 'two', 0);
    expect(memory.channelOf(keys('quiet', 0), 0)).toBe('one');
    expect(memory.channelOf(keys('loud', 99), 0)).toBe('two');
    expect(memory.channelOf(keys('loud', 0), 0)).toBeNull();
  });
});
