import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats } from '../index.ts';
import type { ParsedRequest } from './client-request.ts';
import type { ClientFormat } from './format.ts';

/* Searches run by a provider are billed per call. If the usage report does not count them, they are counted in the answer. */

const SOURCE = { provider: 'p', channel: 'c', quirks: [] };
const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const utf8 = new TextEncoder();
const REQUEST: ParsedRequest = {
  call: { purpose: 'generate', model: null, stream: true, framing: 'sse' },
  ...{ model: 'public', stream: true, wantsStreamUsage: true, bytes: utf8.encode('{}'), body: {} },
};

function formatOf(name: string): ClientFormat {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
}

/** Returns the search counts of a whole answer, relayed and decoded. */
function searchesOf(name: string, answer: object): readonly (number | undefined)[] {
  const bytes = utf8.encode(JSON.stringify(answer));
  const relayed = formatOf(name).relayAnswer(bytes, patch);
  const decoded = formatOf(name).decodeAnswer(bytes, SOURCE);
  if (relayed instanceof Failure || decoded instanceof Failure) throw new Error('it is an answer');
  return [relayed.usage?.webSearches, decoded.usage?.webSearches];
}

const call = (type: string) => ({ type: 'web_search_call', id: `ws_${type}`, status: 'completed', action: { type } });
const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const response = (more: object, ...items: readonly object[]) => ({
  ...{ id: 'r', object: 'response', model: 'm', status: 'completed', usage, output: items },
  ...more,
});
const message = (used: object, ...content: readonly object[]) => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', content },
  usage: { input_tokens: 3, output_tokens: 2, ...used },
});
const block = (name: string, type = 'server_tool_use') => ({ type, id: 's', name, input: { query: 'q' } });

test.each([
  ['are counted', 2, response({}, call('search'), { type: 'web_search_call', id: 'ws', status: 'completed' })],
  ['exclude opened and searched pages', 1, response({}, call('search'), call('open_page'), call('find_in_page'))],
  [
    'are counted by a reported number instead',
    5,
    response({ tool_usage: { web_search: { num_requests: 5 } } }, call('search')),
  ],
  ['may be reported as zero', 0, response({ tool_usage: { web_search: { num_requests: 0 } } }, call('search'))],
  ['are unknown if there are none', undefined, response({}, { type: 'message', content: [] })],
])('searches in Responses items %s', (_, expected, answer) => {
  expect(searchesOf('openai-responses', answer)).toEqual([expected, expected]);
});

test.each([
  ['are counted', 2, message({}, block('web_search'), block('web_search'), block('web_fetch'))],
  ['exclude calls of the client’s own tools', undefined, message({}, block('web_search', 'tool_use'))],
  [
    'are counted by a reported number instead',
    5,
    message({ server_tool_use: { web_search_requests: 5 } }, block('web_search')),
  ],
  ['may be reported as zero', 0, message({ server_tool_use: { web_search_requests: 0 } }, block('web_search'))],
])('searches in Anthropic blocks %s', (_, expected, answer) => {
  expect(searchesOf('anthropic-messages', answer)).toEqual([expected, expected]);
});

describe('a stream that ends before its report', () => {
  const streams: Readonly<Record<string, readonly object[]>> = {
    'openai-responses': [
      { type: 'response.created', response: { id: 'r', model: 'm', output: [] } },
      ...[call('search'), call('open_page'), call('search')].flatMap((item, index) => [
        { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
        { type: 'response.output_item.done', output_index: index, item },
      ]),
    ],
    'anthropic-messages': [
      { type: 'message_start', message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 3 } } },
      ...[block('web_search'), block('web_search', 'tool_use'), block('web_search')].flatMap((content_block, index) => [
        { type: 'content_block_start', index, content_block: { ...content_block, input: {} } },
        { type: 'content_block_stop', index },
      ]),
    ],
  };

  test.each(Object.entries(streams))('of %s has the searches shown so far', (name, events) => {
    for (const named of [true, false]) {
      const text = events.map((event) => {
        const line = named && 'type' in event ? `event: ${event.type}\n` : '';
        return `${line}data: ${JSON.stringify(event)}\n\n`;
      });
      const relay = formatOf(name).relayStream(REQUEST, patch);
      relay.push(utf8.encode(text.join('')));
      expect(relay.produced.webSearches).toBe(2);
    }
  });
});
