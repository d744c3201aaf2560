import { expect, test } from 'bun:test';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { openaiResponses } from './index.ts';
import { bytesOf, SOURCE } from './testing/context.ts';

type Json = Readonly<Record<string, unknown>>;

function frames(events: readonly Json[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function decode(text: string): StreamPart[] {
  const decoder = openaiResponses.decodeStream(SOURCE);
  return [...decoder.push(bytesOf(text)), ...decoder.end()];
}

const CREATED = { type: 'response.created', response: { id: 'resp_1', created_at: 7 } };

function completed(output: readonly unknown[], more: Json = {}) {
  const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 };
  return { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output, usage, ...more } };
}

const call = (name: string, text: string) => ({
  ...{ id: `fc_${name}`, type: 'function_call', call_id: `call_${name}`, name, arguments: text },
});

test('interleaved calls are put in sequence', () => {
  const parts = decode(
    frames([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: call('a', '') },
      { type: 'response.output_item.added', output_index: 1, item: call('b', '') },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"b"' },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: ':1}' },
      { type: 'response.output_item.done', output_index: 1, item: call('b', '{"b":1}') },
      { type: 'response.output_item.done', output_index: 0, item: call('a', '{}') },
      completed([call('a', '{}'), call('b', '{"b":1}')]),
    ]),
  );
  expect(parts).toEqual([
    { type: 'start', id: 'resp_1', created: 7 },
    { type: 'tool-call-start', candidate: 0, id: 'call_a', name: 'a' },
    { type: 'tool-call-delta', candidate: 0, arguments: '{}' },
    { type: 'tool-call-end', candidate: 0 },
    { type: 'tool-call-start', candidate: 0, id: 'call_b', name: 'b' },
    { type: 'tool-call-delta', candidate: 0, arguments: '{"b"' },
    { type: 'tool-call-delta', candidate: 0, arguments: ':1}' },
    { type: 'tool-call-end', candidate: 0 },
    { type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'completed' } },
    {
      type: 'usage',
      usage: {
        ...{ input: 5, cachedInput: 4, cacheWrite: 0, output: 3, reasoning: 0, source: 'reported' },
        raw: { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
      },
    },
    { type: 'end' },
  ]);
});

test('content of the final response only is still emitted', () => {
  const message = {
    type: 'message',
    content: [
      {
        type: 'output_text',
        text: 'Hello',
        annotations: [{ type: 'url_citation', url: 'https://a.test', title: 'A' }],
      },
    ],
  };
  const search = { type: 'web_search_call', id: 'ws_1' };
  const parts = decode(
    frames([
      CREATED,
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hel', obfuscation: 'xx' },
      completed([search, message, call('a', '{}')]),
    ]),
  );
  expect(parts.map(({ type }) => String(type))).toEqual([
    ...['start', 'text-start', 'text-delta', 'text-delta', 'citation', 'text-end', 'unknown', 'tool-call-start'],
    ...['tool-call-delta', 'tool-call-end', 'finish', 'usage', 'end'],
  ]);
  expect(parts[3]).toEqual({ type: 'text-delta', candidate: 0, text: 'lo' });
});

test('reasoning is one block, with summaries joined by blank lines and the item as its state', () => {
  const item = {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'gAAA',
    summary: [
      { type: 'summary_text', text: 'One' },
      { type: 'summary_text', text: 'Two' },
    ],
  };
  const delta = (summary_index: number, text: string): Json => ({
    ...{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index, delta: text },
  });
  const parts = decode(
    frames([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...item, summary: [] } },
      delta(0, 'One'),
      delta(1, 'T'),
      delta(1, 'wo'),
      { type: 'response.output_item.done', output_index: 0, item },
      completed([item]),
    ]),
  );
  expect(parts.slice(1, -3)).toEqual([
    { type: 'reasoning-start', candidate: 0, summary: true },
    ...['One', '\n\n', 'T', 'wo'].map((text) => ({ type: 'reasoning-delta', candidate: 0, text }) as const),
    {
      type: 'reasoning-end',
      candidate: 0,
      state: { family: 'openai-responses', data: JSON.stringify(item), provider: 'openai', channel: 'c1' },
    },
  ]);
});

test('a stream that ends early, is empty or garbage, or carries an error ends with an error', () => {
  const failed = (code: string) => ({
    ...{ type: 'response.failed', response: { status: 'failed', error: { code, message: 'Oh' } } },
  });
  const cases: readonly (readonly [string, string])[] = [
    ['', 'empty_stream'],
    [': ping\n\n', 'empty_stream'],
    [frames([CREATED]), 'truncated_stream'],
    ['data: {"type":\n\n', 'garbage'],
    [frames([CREATED, failed('server_error')]), 'error_in_200'],
    [frames([CREATED, failed('rate_limit_exceeded')]), 'rate_limit_exceeded'],
    [frames([CREATED, failed('invalid_prompt')]), 'invalid_request'],
    [frames([{ type: 'error', code: 'insufficient_quota', message: 'No money' }]), 'upstream_quota'],
    [frames([{ type: 'error', error: { code: 'rate_limit_exceeded', message: 'Slow' } }]), 'rate_limit_exceeded'],
  ];
  for (const [text, kind] of cases) {
    const last = decode(text).at(-1);
    expect(last?.type === 'error' && last.failure.kind).toBe(kind);
  }
});

test('an incomplete response has its reason', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hel' }] };
  const incomplete = (reason: string) =>
    decode(
      frames([
        {
          type: 'response.incomplete',
          response: { status: 'incomplete', incomplete_details: { reason }, output: [message] },
        },
      ]),
    ).find(({ type }) => type === 'finish');
  expect(incomplete('max_output_tokens')).toMatchObject({ finish: { unified: 'length', raw: 'max_output_tokens' } });
  expect(incomplete('content_filter')).toMatchObject({ finish: { unified: 'content-filter' } });
});

test('any line ends, comments and a missing last blank line are accepted', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
  const text = frames([CREATED, completed([message])]);
  const expected = decode(text);
  expect(decode(text.replaceAll('\n', '\r\n'))).toEqual(expected);
  expect(decode(`: hello\n\n${text.trimEnd()}`)).toEqual(expected);
  expect(decode(`${text}data: [DONE]\n\n`)).toEqual(expected);
});

test('an item that ends as another type is accepted', () => {
  const typesOf = (...events: readonly Json[]): string[] =>
    decode(frames([CREATED, ...events, completed([])])).map((one) => one.type);
  const added = (item: Json) => ({ type: 'response.output_item.added', output_index: 0, item });
  const done = (item: Json) => ({ type: 'response.output_item.done', output_index: 0, item });
  const text = { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' };
  const thought = { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm' };
  const [start, end] = ['start', ['finish', 'usage', 'end']];
  const called: string[] = [start, 'tool-call-start', 'tool-call-delta', 'tool-call-end', ...end];
  expect(typesOf(added(call('a', '{}')), text, thought, done({ type: 'web_search_call' }))).toEqual(called);
  const said = [start, 'text-start', 'text-delta', 'text-end'];
  expect(typesOf(text, done(call('a', '{}')))).toEqual([...said, ...called.slice(1)]);
  expect(typesOf(text, done({ type: 'web_search_call' }))).toEqual([...said, 'unknown', ...end]);
  expect(typesOf(text, done({ type: 'reasoning' }))).toEqual([...said, 'reasoning-start', 'reasoning-end', ...end]);
  const odd = { type: 'function_call', name: { toString: null } };
  expect(decode(frames([CREATED, added(odd), done(odd), completed([])]))[1]).toMatchObject({ id: 'call_', name: '' });
});
