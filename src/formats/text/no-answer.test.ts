import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats } from '../index.ts';
import type { ParsedRequest } from './client-request.ts';

/* A 200 whose body is not an answer of its format is a failure of the channel, on both lanes. */

const utf8 = new TextEncoder();
const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const SOURCE = { provider: 'p', channel: 'c', quirks: [] };

const BODIES = [
  ...['', ' ', 'null', '[]', '[{}]', '"text"', '7', '<html><body>Blocked</body></html>', '{', '{}'],
  ...[
    '{"detail":"Not Found"}',
    '{"message":"Not Found"}',
    '{"status":"ok"}',
    '{"error":"boom"}',
    '{"ok":true,"data":{}}',
  ],
  ...['{"choices":[]}', '{"choices":null}', '{"choices":{}}', '{"choices":[{}]}', '{"choices":[null]}'],
  ...['{"output":[]}', '{"output":null}', '{"output":"text"}'],
  ...['{"content":[]}', '{"content":null}', '{"content":{}}', '{"content":"text"}'],
  ...['{"candidates":[]}', '{"candidates":null}', '{"candidates":{}}', '{"promptFeedback":{}}'],
  ...[
    '{"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
    '{"usageMetadata":{"promptTokenCount":1}}',
    '{"responseId":"r","modelVersion":"m"}',
    '{"candidates":[{}],"usageMetadata":{"promptTokenCount":1}}',
    '{"candidates":[{"content":{"role":"model"},"index":0}]}',
  ],
  ...['{"input_tokens":7}', '{"totalTokens":7}', '{"id":"x","object":"chat.completion","model":"m","choices":[]}'],
];

const STREAMS = [
  ...[
    '',
    '\n\n',
    ': ping\n\n: ping\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    '<html>\n</html>',
    '{"detail":"x"}',
  ],
  ...[
    'data: {}\n\n',
    'data: null\n\n',
    'data: []\n\n',
    'data: "x"\n\n',
    'data: {"detail":"x"}\n\n',
    'data: [DONE]\n\n',
  ],
  ...['data: {}\n\ndata: [DONE]\n\n', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', 'data: {"candidates":[]}\n\n'],
  ...['data: {"a":1}\n\ndata: {"b":2}\n\n', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
  'data: {"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}\n\ndata: [DONE]\n\n',
  'data: {"usageMetadata":{"promptTokenCount":1}}\n\n',
];

const REQUEST: ParsedRequest = {
  call: { purpose: 'generate', model: null, stream: true, framing: 'sse' },
  ...{ model: 'public', stream: true, wantsStreamUsage: true, bytes: utf8.encode('{}'), body: {} },
};

for (const format of clientFormats.values()) {
  describe(format.name, () => {
    test.each(BODIES)('%s is not a response', (body) => {
      expect(format.relayAnswer(utf8.encode(body), patch)).toBeInstanceOf(Failure);
      expect(format.decodeAnswer(utf8.encode(body), SOURCE)).toBeInstanceOf(Failure);
    });

    test.each(STREAMS)('%j is not a response, and another channel may still respond', (text) => {
      const relay = format.relayStream(REQUEST, patch);
      relay.push(utf8.encode(text));
      relay.end();
      expect([relay.failure?.side, relay.started, relay.finished]).toEqual(['upstream', false, false]);
      const decoder = format.decodeStream(SOURCE);
      const parts = [...decoder.push(utf8.encode(text)), ...decoder.end()];
      expect(parts.some(({ type }) => type === 'error')).toBe(true);
    });
  });
}
