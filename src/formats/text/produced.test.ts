import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../index.ts';
import type { InboundCall } from './client-request.ts';
import type { StreamRelay } from './format.ts';

const utf8 = new TextEncoder();
const call: InboundCall = { purpose: 'generate', model: 'm', stream: true, framing: 'sse' };

function relayOf(format: string, events: readonly object[], named: boolean): StreamRelay {
  const found = clientFormats.get(format);
  if (!found) throw new Error(`there is no format ${format}`);
  const request = { call, model: 'm', stream: true, wantsStreamUsage: false, bytes: new Uint8Array(0), body: {} };
  const relay = found.relayStream(request, {
    publicModel: 'public',
    routing: { json: '{}' },
    created: 1,
    newId: String,
  });
  for (const event of events) {
    const name = named && 'type' in event ? `event: ${event.type}\n` : '';
    relay.push(utf8.encode(`${name}data: ${JSON.stringify(event)}\n\n`));
  }
  return relay;
}

/** Returns the text that a relay holds for the model's output in these events. */
function textOf(format: string, events: readonly object[], named = true): string {
  return relayOf(format, events, named).produced.sample().text;
}

const delta = (said: object) => ({ choices: [{ index: 0, delta: said, finish_reason: null }] });
const called = (said: object) => delta({ tool_calls: [{ index: 0, function: said }] });

describe('openai-chat', () => {
  test.each([
    [
      'text',
      [delta({ role: 'assistant', content: '' }), delta({ content: 'Hi ' }), delta({ content: 'you' })],
      'Hi you',
    ],
    ['a refusal', [delta({ refusal: 'No' })], 'No'],
    ['calls', [called({ name: 'sum', arguments: '' }), called({ arguments: '{"a":1}' })], 'sum{"a":1}'],
    ['a custom call', [delta({ tool_calls: [{ index: 0, custom: { name: 'sh', input: 'ls' } }] })], 'shls'],
    ['a legacy call', [delta({ function_call: { name: 'f', arguments: '{}' } })], 'f{}'],
    [
      'all of its choices',
      [{ choices: [...delta({ content: 'a' }).choices, ...delta({ content: 'b' }).choices] }],
      'ab',
    ],
    ['the text beside a finish reason', [{ choices: [{ finish_reason: 'stop', delta: { content: 'end' } }] }], 'end'],
  ])('%s', (_name, events, text) => expect(textOf('openai-chat', events)).toBe(text));

  test.each([
    [{ reasoning_content: 'hm' }],
    [{ reasoning: 'hm', reasoning_content: 'hm' }],
    [{ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
    [{ reasoning: null, reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }],
    [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }],
  ])('reasoning is counted once: %p', (said) => expect(textOf('openai-chat', [delta(said)])).toBe('hm'));
});

const block = (said: object) => ({ type: 'content_block_delta', index: 0, delta: said });
const blocks = [
  { type: 'message_start', message: { model: 'm', usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  block({ type: 'thinking_delta', thinking: 'hm ' }),
  block({ type: 'signature_delta', signature: 'c2ln' }),
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  block({ type: 'text_delta', text: 'Hi ' }),
  block({ type: 'citations_delta', citation: { cited_text: 'source' } }),
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'sum', input: {} } },
  block({ type: 'input_json_delta', partial_json: '{"a":1}' }),
  { type: 'content_block_stop', index: 2 },
];

describe('anthropic-messages', () => {
  test.each([true, false])('text, reasoning and calls are counted, with event lines: %p', (named) => {
    expect(textOf('anthropic-messages', blocks, named)).toBe('hm Hi sum{"a":1}');
  });

  test('the first report does not include the completion, the last one does', () => {
    const relay = relayOf('anthropic-messages', blocks, true);
    expect(relay).toMatchObject({ usage: { input: 3 }, produced: { isPastReport: true } });
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } };
    const reported = relayOf('anthropic-messages', [...blocks, end], true);
    expect(reported).toMatchObject({ usage: { input: 3, output: 9 }, produced: { isPastReport: false } });
  });
});

describe('openai-responses', () => {
  test('text, reasoning and calls are counted', () => {
    const events = [
      { type: 'response.created', sequence_number: 0, response: { id: 'r', model: 'm', output: [] } },
      { type: 'response.reasoning_summary_text.delta', delta: 'hm ', obfuscation: 'xyz' },
      { type: 'response.reasoning_summary_text.done', text: 'hm ' },
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'sum', arguments: '' } },
      { type: 'response.function_call_arguments.delta', delta: '{"a":1}' },
      { type: 'response.output_item.done', item: { type: 'function_call', name: 'sum', arguments: '{"a":1}' } },
      { type: 'response.output_text.delta', delta: ' Hi' },
    ];
    expect(textOf('openai-responses', events)).toBe('hm sum{"a":1} Hi');
  });
});

describe('gemini', () => {
  const said = (...parts: readonly object[]) => ({ candidates: [{ content: { parts } }] });

  test('text, reasoning, calls and code are counted', () => {
    const events = [
      said({ text: 'hm ', thought: true }, { text: 'Hi ' }),
      said({ functionCall: { name: 'sum', args: { a: 1 } } }, { executableCode: { language: 'PYTHON', code: 'x' } }),
      said({ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a', stringValue: 'y' }], willContinue: true } }),
      said({ codeExecutionResult: { output: '7' } }),
    ];
    expect(textOf('gemini', events)).toBe('hm Hi sum{"a":1}xfy');
  });

  test('the report of each chunk covers its own text', () => {
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 };
    const relay = relayOf('gemini', [{ ...said({ text: 'Hi' }), usageMetadata }], true);
    expect(relay.produced).toMatchObject({ bytes: 2, isPastReport: false });
  });
});
