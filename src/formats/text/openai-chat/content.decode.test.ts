import { describe, expect, test } from 'bun:test';
import { requestOf } from './testing/exchange.ts';

const question = { role: 'user', content: 'hi' };

/** Returns how the request's members were treated, each with its verdict. */
function notesOf(body: Record<string, unknown>) {
  return requestOf(body).rest.map(({ path, verdict }) => `${path}: ${verdict}`);
}

describe("OpenRouter's cache_control for a whole request", () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };

  test('marks the last part, under its own path', () => {
    const { messages, rest } = requestOf({ messages: [question, { role: 'user', content: [] }], cache_control });
    expect(messages[0]?.parts).toMatchObject([{ text: 'hi', cache: { ttl: '1h', path: 'cache_control' } }]);
    expect(rest).toEqual([]);
  });

  test('does not mark reasoning', () => {
    const thought = { role: 'assistant', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] };
    const { messages, rest } = requestOf({ messages: [question, thought], cache_control });
    expect(messages[0]?.parts).toMatchObject([{ text: 'hi', cache: { path: 'cache_control' } }]);
    expect(rest).toEqual([]);
  });

  test('keeps an existing mark', () => {
    const content = [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }];
    const body = { messages: [{ role: 'user', content }], cache_control };
    expect(requestOf(body).messages[0]?.parts).toMatchObject([{ cache: { ttl: '5m' } }]);
    expect(notesOf(body)).toEqual(['cache_control: approximated']);
  });

  test.each(['default', 'no_cache'])("of type %s is for the gateway's cache, and marks nothing", (type) => {
    const { messages, rest } = requestOf({ messages: [question], cache_control: { type } });
    expect(messages[0]?.parts).toEqual([{ type: 'text', text: 'hi', path: 'messages[0].content' }]);
    expect(rest).toEqual([]);
  });
});

describe("Mistral's reasoning", () => {
  const thinking = [
    { type: 'text', text: 'Hm.' },
    { type: 'tool_reference', tool: 'web_search', title: 'News' },
  ];

  test('reports content other than text', () => {
    const body = { messages: [question, { role: 'assistant', content: [{ type: 'thinking', thinking }] }] };
    expect(requestOf(body).messages[1]?.parts).toMatchObject([{ type: 'reasoning', text: 'Hm.' }]);
    expect(notesOf(body)).toEqual(['messages[1].content[0].thinking[1]: dropped']);
  });

  test('is text in other roles, and reported', () => {
    const body = { messages: [{ role: 'user', content: [{ type: 'thinking', thinking: [thinking[0]] }] }] };
    expect(requestOf(body).messages[0]?.parts).toMatchObject([{ type: 'text', text: 'Hm.' }]);
    expect(notesOf(body)).toEqual(['messages[0].content[0]: approximated']);
  });
});

test.each([
  [{ messages: [question], reasoning: { effort: 'none', summary: 'concise' } }, ['reasoning.summary: dropped']],
  [{ messages: [question], reasoning: { effort: 'none', exclude: true } }, []],
  [
    { messages: [question, { role: 'assistant', content: 'Yes.', audio: { transcript: 'Yes!' } }] },
    ['messages[1].audio.transcript: dropped'],
  ],
  [{ messages: [{ role: 'user', content: [{ type: 'file', file_id: 'file-1' }] }] }, []],
  [
    {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', name: 'other', content: null },
      ],
    },
    ['messages[1].name: approximated'],
  ],
])('%j reports %j', (body, notes) => {
  expect(notesOf(body)).toEqual(notes);
});
