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

function keysOf(formatName: string, body: unknown, accountId = 'acme', headers: Record<string, string> = {}) {
  const client = { header: (name: string) => headers[name] ?? null };
  return conversationKeys({ accountId, format: formatNamed(formatName), request: parsed(formatName, body), client });
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
    const keys = (id: number) => ({ accountId: 'acme', own: `${id}`, earlier: `${id}`, named: [] });
    for (const id of [1, 2, 1, 3]) memory.remember(keys(id), `channel-${id}`, 0);
    expect([1, 2, 3].map((id) => memory.channelOf(keys(id), 0))).toEqual(['channel-1', null, 'channel-3']);
  });

  test('unaffected by the conversations of other accounts', () => {
    const memory = new ConversationMemory(new FakeConversationState(), 4);
    const keys = (accountId: string, id: number) => ({ accountId, own: `${id}`, earlier: `${id}`, named: [] });
    memory.remember(keys('quiet', 0), 'one', 0);
    for (let id = 0; id < 100; id++) memory.remember(keys('loud', id), 'two', 0);
    expect(memory.channelOf(keys('quiet', 0), 0)).toBe('one');
    expect(memory.channelOf(keys('loud', 99), 0)).toBe('two');
    expect(memory.channelOf(keys('loud', 0), 0)).toBeNull();
  });
});

describe('a session returns to the channel of its last response', () => {
  const asking = (model: string, content: string) => ({ model, messages: [{ role: 'user', content }] });
  const inSession = (id: string, body: object = asking('m', 'Hello'), accountId = 'acme') =>
    keysOf('openai-chat', body, accountId, { 'x-session-id': id });

  test('for an hour after the last one, whatever it asks', () => {
    const memory = new ConversationMemory(new FakeConversationState());
    memory.remember(inSession('s'), 'one', 0);
    expect(memory.channelOf(inSession('s', asking('m', 'More')), 3_599_999)).toBe('one');
    expect(memory.channelOf(inSession('s', asking('m', 'More')), 3_600_000)).toBeNull();
    memory.remember(inSession('s'), 'two', 3_000_000);
    expect(memory.channelOf(inSession('s'), 6_599_999)).toBe('two');
  });

  test('for its account and its model alone', () => {
    const memory = new ConversationMemory(new FakeConversationState());
    memory.remember(inSession('s'), 'one', 0);
    expect(memory.channelOf(inSession('s', asking('m', 'Hello'), 'somebody-else'), 1)).toBeNull();
    expect(memory.channelOf(inSession('other'), 1)).toBeNull();
    expect(memory.channelOf(inSession('s', asking('another-model', 'Hello')), 1)).toBeNull();
  });

  test('after the channel that has the prompt in its cache', () => {
    const memory = new ConversationMemory(new FakeConversationState());
    const [first, second] = CONVERSATIONS['openai-chat'] as readonly [object, object];
    memory.remember(keysOf('openai-chat', first), 'of the conversation', 0);
    memory.remember(keysOf('openai-chat', { ...asking('m', 'Hi'), prompt_cache_key: 'k' }), 'of the cache key', 1);
    memory.remember(inSession('s'), 'of the session', 2);
    const cached = { ...second, prompt_cache_key: 'k' };
    expect(memory.channelOf(inSession('s', cached), 3)).toBe('of the conversation');
    expect(memory.channelOf(inSession('s', { ...asking('m', 'More'), prompt_cache_key: 'k' }), 3)).toBe(
      'of the cache key',
    );
    expect(memory.channelOf(inSession('s', asking('m', 'More')), 3)).toBe('of the session');
  });

  test('within bounds: countless sessions evict neither conversations nor sessions of others', () => {
    const memory = new ConversationMemory(new FakeConversationState(), 4);
    const [first, second] = CONVERSATIONS['openai-chat'] as readonly [object, object];
    memory.remember(keysOf('openai-chat', first, 'quiet', { 'x-session-id': 's' }), 'one', 0);
    for (let id = 0; id < 1_000; id++) memory.remember(inSession(`s${id}`), 'two', 0);
    expect(memory.channelOf(keysOf('openai-chat', second, 'quiet'), 1)).toBe('one');
    expect(memory.channelOf(inSession('s', asking('m', 'More'), 'quiet'), 1)).toBe('one');
    expect(memory.channelOf(inSession('s999'), 1)).toBe('two');
    expect(memory.channelOf(inSession('s0'), 1)).toBeNull();
  });
});
