import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MessagesStreamRelay } from '../anthropic-messages/relay.stream.ts';
import type { ParsedRequest, RelayPatch } from '../client-request.ts';
import { ChatStreamRelay } from '../openai-chat/relay.stream.ts';

const patch: RelayPatch = {
  publicModel: 'public "ü"',
  routing: { json: '{"cached":false}' },
  created: 1,
  newId: String,
};
const request: ParsedRequest = {
  call: { purpose: 'generate', model: null, stream: null, framing: 'sse' },
  model: 'public',
  stream: true,
  wantsStreamUsage: true,
  bytes: new Uint8Array(0),
  body: {},
};

/** Words that contain delimiters of strings, texts and events, to catch careless parsing. */
const words = fc.oneof(
  fc.constantFrom('', 'a', 'word ', '"', '\\', '\\"', '"}', '\n\n', 'ü🜁', 'data: [DONE]', '\u2028'),
  fc.string({ maxLength: 8 }),
  fc.string({ minLength: 40, maxLength: 80 }),
);
const deltas = fc.oneof(
  { weight: 6, arbitrary: words.map((content) => ({ content })) },
  { weight: 2, arbitrary: words.map((reasoning) => ({ reasoning, reasoning_content: reasoning })) },
  { arbitrary: words.map((reasoning) => ({ reasoning, reasoning_content: 'always' })), weight: 2 },
  {
    weight: 3,
    arbitrary: words.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  },
  { arbitrary: fc.tuple(words, words).map(([content, refusal]) => ({ content, refusal })), weight: 1 },
  { arbitrary: words.map((text) => ({ content: [{ type: 'text', text }] })), weight: 1 },
  { arbitrary: fc.constantFrom({}, { content: null }, { role: 'assistant', content: '' }), weight: 1 },
);
const chunks = fc.record(
  {
    id: fc.constant('chatcmpl-1'),
    model: fc.constantFrom('up', 'up', 'up', 'public "ü"', 'other', ''),
    choices: fc.array(
      fc.record({
        index: fc.constantFrom(0, 0, 0, 1),
        delta: deltas,
        finish_reason: fc.constantFrom(null, null, null, null, '', 'stop'),
      }),
      { minLength: 0, maxLength: 2 },
    ),
    usage: fc.constantFrom(null, null, null, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }),
    obfuscation: fc.constantFrom('x', 'yy', 'zz"z', ''),
    error: fc.constantFrom(null, null, { message: 'over' }),
  },
  { requiredKeys: ['id', 'model', 'choices'] },
);
/** Streams whose chunks have much in common, some with their members in another order. */
const streams = fc
  .record({
    chunks: fc.array(chunks, { maxLength: 12 }),
    repeated: fc.integer({ min: 1, max: 4 }),
    isTurned: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
    hasEnd: fc.boolean(),
  })
  .map(({ chunks, repeated, isTurned, lineEnd, hasEnd }) => {
    const all = chunks.flatMap((chunk) =>
      Array.from({ length: repeated }, (_, index) => {
        const members = Object.entries(chunk);
        return JSON.stringify(Object.fromEntries(isTurned ? members.reverse() : members)).replaceAll(
          'word ',
          `word ${index} `,
        );
      }),
    );
    return [...all, ...(hasEnd ? ['[DONE]'] : [])].map((data) => `data: ${data}${lineEnd}${lineEnd}`).join('');
  });

function relayed(relay: ChatStreamRelay | MessagesStreamRelay, stream: string, size: number, templates: number) {
  relay.templates.left = templates; // Without templates, each chunk is parsed individually.
  const bytes = new TextEncoder().encode(stream);
  const out: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size) out.push(relay.push(bytes.slice(from, from + size)).slice());
  out.push(relay.end());
  const { usage, served, failure, finished, started, produced } = relay;
  const said = {
    bytes: produced.bytes,
    isPastReport: produced.isPastReport,
    webSearches: produced.webSearches,
    sample: produced.sample(),
  };
  return { text: Buffer.concat(out).toString(), usage, served, failure, finished, started, said };
}

test('the template gives the same result as scanning each chunk', () => {
  fc.assert(
    fc.property(streams, fc.integer({ min: 20, max: 2_000 }), (stream, size) => {
      const chat = () => new ChatStreamRelay(request, patch);
      expect(relayed(chat(), stream, size, 16)).toEqual(relayed(chat(), stream, size, 0));
    }),
    { numRuns: 2_000 },
  );
});

const messageEvents = fc.oneof(
  { weight: 6, arbitrary: words.map((text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } })) },
  {
    weight: 3,
    arbitrary: words.map((text) => ({
      type: 'content_block_delta',
      delta: { type: 'input_json_delta', partial_json: text },
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('web_search', 'web_search', 'bash')
      .map((name) => ({ type: 'content_block_start', content_block: { type: 'server_tool_use', id: 'a', name } })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'message_delta', usage: { output_tokens: 4 } }) },
  { weight: 1, arbitrary: fc.constant({ type: 'content_block_stop', index: 0 }) },
);

test('the template works for events of Anthropic’s format, too', () => {
  const messages = () => new MessagesStreamRelay(patch);
  const events = fc.array(messageEvents, { maxLength: 20 });
  fc.assert(
    fc.property(events, fc.boolean(), fc.integer({ min: 20, max: 2_000 }), (list, hasNames, size) => {
      const stream = list
        .map((event) => `${hasNames ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
        .join('');
      expect(relayed(messages(), stream, size, 16)).toEqual(relayed(messages(), stream, size, 0));
    }),
    { numRuns: 2_000 },
  );
});

test('events hidden in a text are not taken for text', () => {
  const chunk = (text: string) => `data: {"model":"up","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
  const hidden =
    'a\n\ndata: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9}}\n\ndata: [DONE]\n\ndata: b';
  for (const inner of [hidden, 'a\r\rb', 'a\\\n\nb', 'a\\\ndata: {}']) {
    const stream = [chunk('one'), chunk('two'), chunk(inner)];
    const relays = [16, 0].map((templates) => {
      const relay = new ChatStreamRelay(request, patch);
      relay.templates.left = templates;
      const out = stream.map((piece) => Buffer.from(relay.push(new TextEncoder().encode(piece))).toString());
      return { out, finished: relay.finished, usage: relay.usage, bytes: relay.produced.bytes };
    });
    expect(relays[0]).toEqual(relays[1]);
  }
});

test('no template is kept for an event that is large beside its text', () => {
  const large = (text: string) =>
    `data: {"id":"${'x'.repeat(5_000)}","model":"up","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
  const relay = new ChatStreamRelay(request, patch);
  for (let index = 0; index < 20; index++) relay.push(new TextEncoder().encode(large(`word ${index}`)));
  expect(relay.templates.left).toBe(16);
  expect(relay.produced.pieces).toBe(20);
});

test('similar chunks match the template, even if a filler differs', () => {
  const chunk = (text: string, filler: string) =>
    `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"up","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}],"usage":null,"obfuscation":"${filler}"}\n\n`;
  const relay = new ChatStreamRelay(request, patch);
  const stream = Array.from({ length: 100 }, (_, index) => chunk(`word ${index}`, 'x'.repeat(index % 7))).join('');
  const text = Buffer.from(relay.push(new TextEncoder().encode(stream))).toString();
  expect(text).toBe(stream.replaceAll('"up"', JSON.stringify(patch.publicModel)));
  expect(relay.templates.left).toBe(16);
  expect(relay.produced.sample().text).toBe(Array.from({ length: 100 }, (_, index) => `word ${index}`).join(''));
});
