import { describe, expect, test } from 'bun:test';
import { type Conversation, conversationOf } from './index.ts';
import { parsePrefix } from './partial-json.ts';
import type { Turn } from './turns.ts';

/* The same exchange in each format: a picture and a question, a thought, a call and its result, a text. */

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DATA_URL = `data:image/png;base64,${PIXEL}`;

const tool = { name: 'find', description: 'finds', parameters: { type: 'object' } };

const REQUESTS: Readonly<Record<string, object>> = {
  'openai-chat': {
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: DATA_URL } },
          { type: 'text', text: 'What is this?' },
        ],
      },
      {
        ...{ role: 'assistant', content: null, reasoning_content: 'Look.' },
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
    ],
    tools: [{ type: 'function', function: tool }],
  },
  'openai-responses': {
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: DATA_URL },
          { type: 'input_text', text: 'What is this?' },
        ],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"q":"x"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'found' },
    ],
    tools: [{ type: 'function', ...tool }],
  },
  'anthropic-messages': {
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          { type: 'text', text: 'What is this?' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look.', signature: 's' },
          { type: 'tool_use', id: 'c1', name: 'find', input: { q: 'x' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found' }] },
    ],
    tools: [{ name: 'find', input_schema: {} }],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }, { text: 'What is this?' }] },
      {
        role: 'model',
        parts: [{ text: 'Look.', thought: true }, { functionCall: { id: 'c1', name: 'find', args: { q: 'x' } } }],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'find', response: 'found' } }] },
    ],
    tools: [{ functionDeclarations: [tool] }],
  },
};

const STREAMS: Readonly<Record<string, readonly object[]>> = {
  'openai-chat': [
    { choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: 'So ' } }] },
    { choices: [{ index: 0, delta: { reasoning_content: 'be it.' } }] },
    { choices: [{ index: 0, delta: { content: 'A ' } }] },
    { choices: [{ index: 0, delta: { content: 'pixel.' } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c2', function: { name: 'save', arguments: '{"n"' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ],
  'openai-responses': [
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', summary: [] } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'So ' },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'be it.' },
    { type: 'response.output_item.added', output_index: 1, item: { type: 'message', role: 'assistant', content: [] } },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'A ' },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'pixel.' },
    {
      ...{ type: 'response.output_item.added', output_index: 2 },
      item: { type: 'function_call', call_id: 'c2', name: 'save', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"n"' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: ':1}' },
    { type: 'response.incomplete', response: { incomplete_details: { reason: 'tool_calls' }, output: [] } },
  ],
  'anthropic-messages': [
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'So be it.' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'A ' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'pixel.' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c2', name: 'save', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"n"' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_calls' } },
    { type: 'message_stop' },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: 'So ', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'be it.', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'A ' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'pixel.' }] } }] },
    {
      candidates: [
        {
          content: { parts: [{ functionCall: { id: 'c2', name: 'save', args: { n: 1 } } }] },
          finishReason: 'tool_calls',
        },
      ],
    },
  ],
};

const FAILURES: Readonly<Record<string, object>> = {
  'openai-chat': { error: { message: 'It broke.', code: 'upstream_error' } },
  'openai-responses': { type: 'error', code: 'upstream_error', message: 'It broke.' },
  'anthropic-messages': { type: 'error', error: { type: 'upstream_error', message: 'It broke.' } },
  gemini: { error: { code: 502, message: 'It broke.', status: 'upstream_error' } },
};

const ASKED: readonly Turn[] = [
  { role: 'system', pieces: [{ type: 'text', text: 'Be brief.' }] },
  {
    role: 'user',
    pieces: [
      { type: 'image', url: DATA_URL, about: 'image/png' },
      { type: 'text', text: 'What is this?' },
    ],
  },
  {
    role: 'assistant',
    pieces: [
      { type: 'reasoning', text: 'Look.' },
      { type: 'call', id: 'c1', name: 'find', input: '{\n  "q": "x"\n}' },
    ],
  },
  {
    role: 'tool',
    pieces: [{ type: 'result', id: 'c1', name: 'find', isError: false, pieces: [{ type: 'text', text: 'found' }] }],
  },
];

const ANSWERED: readonly Turn[] = [
  {
    role: 'assistant',
    pieces: [
      { type: 'reasoning', text: 'So be it.' },
      { type: 'text', text: 'A pixel.' },
      { type: 'call', id: 'c2', name: 'save', input: '{\n  "n": 1\n}' },
    ],
    finish: 'tool_calls',
  },
];

const NONE = { text: null, content_type: null };

function eventText(events: readonly object[]): string {
  return events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function asked(format: string, text: string): Conversation | null {
  return conversationOf(format, { text, content_type: 'application/json' }, NONE);
}

function answered(format: string, text: string, type = 'text/event-stream'): Conversation | null {
  return conversationOf(format, NONE, { text, content_type: type });
}

describe.each(Object.keys(REQUESTS))('%s', (format) => {
  const stream = eventText(STREAMS[format] ?? []);

  test('reads a request', () => {
    expect(asked(format, JSON.stringify(REQUESTS[format]))?.asked).toEqual({ turns: ASKED, tools: ['find'] });
  });

  test('assembles a stream', () => {
    expect(answered(format, stream)?.answered).toEqual({ turns: ANSWERED, error: null });
  });

  test('reports a failure, within a stream and in place of a response', () => {
    const error = { message: 'It broke.', code: 'upstream_error' };
    const failure = FAILURES[format] ?? {};
    const broken = answered(format, stream + eventText([failure]))?.answered;
    expect(broken).toEqual({ turns: ANSWERED, error });
    const whole = format === 'openai-responses' ? { error: failure } : failure;
    expect(answered(format, JSON.stringify(whole), 'application/json')?.answered).toEqual({ turns: [], error });
  });

  test('reads any beginning of a capture', () => {
    const request = JSON.stringify(REQUESTS[format]);
    for (let length = 0; length <= request.length; length += 7) {
      const turns = asked(format, request.slice(0, length))?.asked?.turns ?? [];
      expect(turns.length).toBeLessThanOrEqual(ASKED.length);
    }
    for (let length = 0; length <= stream.length; length += 7) {
      const [turn] = answered(format, stream.slice(0, length))?.answered?.turns ?? [];
      const texts = turn?.pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])) ?? [];
      expect('A pixel.').toStartWith(texts.join(''));
    }
  });

  test('reads hostile captures without failing', () => {
    const deep = `${'{"content":['.repeat(60_000)}`;
    const wrong = [null, 7, 'text', [[[]]], { a: { toString: 1 } }, { type: 'text', text: {} }, { type: '__proto__' }];
    const bodies = [
      'messages',
      'input',
      'contents',
      'system',
      'choices',
      'output',
      'content',
      'candidates',
      'tools',
    ].map((name) => ({
      [name]: [...wrong, { role: '__proto__', content: wrong, parts: wrong, message: { content: wrong } }],
    }));
    const events = [
      { choices: [{ index: 1e15, delta: { tool_calls: [{ index: 4e9, function: null }, 'x'] } }] },
      { type: 'content_block_delta', index: -1, delta: { type: 'input_json_delta', partial_json: '{' } },
      { type: 'response.output_text.delta', output_index: 1e12, content_index: 'x', delta: 'y' },
      { candidates: [{ index: 'x', content: { parts: { text: 'y' } } }] },
    ];
    for (const text of [
      deep,
      '{',
      '[',
      '"',
      '',
      '\u0000',
      'null',
      '<html>',
      ...bodies.map((body) => JSON.stringify(body)),
    ]) {
      asked(format, text);
      answered(format, text, 'application/json');
      answered(format, `data: ${text}\n\n`);
    }
    for (const event of events) answered(format, eventText([event, ...wrong.map((one) => ({ one }))]));
  });
});

test('pictures are shown only from data of known types', () => {
  const urlOf = (url: unknown) => {
    const body = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
    const [piece] = asked('openai-chat', JSON.stringify(body))?.asked?.turns[0]?.pieces ?? [];
    return piece?.type === 'image' ? piece.url : undefined;
  };
  expect(urlOf(DATA_URL)).toBe(DATA_URL);
  expect(urlOf(DATA_URL.replace('image/png', 'IMAGE/PNG;charset=x'))).toBe(DATA_URL);
  for (const url of [
    'https://example.com/tracker.png',
    `data:image/svg+xml;base64,${btoa('<svg onload="alert(1)"/>')}`,
    `data:text/html;base64,${PIXEL}`,
    'data:image/png;base64,"><script>',
    'data:image/png,raw',
    'javascript:alert(1)',
    7,
  ])
    expect(urlOf(url)).toBeNull();
});

test('a format without conversations has none', () => {
  for (const format of ['embeddings', '__proto__', 'constructor', ''])
    expect(asked(format, '{"messages":[]}')).toBeNull();
});

test.each([
  ['{"a":[1,2', { a: [1] }],
  ['{"a":"one \\u00e9 tw', { a: 'one é tw' }],
  ['{"a":"one \\u00', { a: 'one ' }],
  ['{"a":"one\\', { a: 'one' }],
  ['{"a":true,"b', { a: true }],
  ['{"a":{"b":[{"c":"d"', { a: { b: [{ c: 'd' }] } }],
  ['{"a":[', { a: [] }],
  ['["x", "y', ['x', 'y']],
  ['{"a":nul', {}],
  ['}', undefined],
  ['', undefined],
])('parses the beginning %s', (text, value) => {
  expect<unknown>(parsePrefix(text)).toEqual(value);
});
