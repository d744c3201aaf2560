import { describe, expect, test } from 'bun:test';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { anthropicMessages } from './index.ts';
import { context, MESSAGE, routing, source } from './testing/samples.ts';

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

function decode(value: unknown): ExchangeResponse {
  const answer = anthropicMessages.decodeAnswer(bytes(value), source);
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
}

describe("an upstream's response", () => {
  test('has usage in parts that do not overlap', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    };
    expect(decode({ ...MESSAGE, usage }).usage).toEqual({
      input: 5,
      cachedInput: 11,
      cacheWrite: 10,
      cacheWrite1h: 20,
      output: 5,
      reasoning: 4,
      webSearches: 2,
      source: 'reported',
      raw: usage,
    });
    expect(decode({ ...MESSAGE, usage: undefined }).usage).toBeNull();
  });

  test('includes a compaction that its totals omit', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 20 },
      { type: 'message', input_tokens: 5, output_tokens: 7 },
    ];
    expect(decode({ ...MESSAGE, usage: { ...MESSAGE.usage, iterations } }).usage).toMatchObject({
      input: 105,
      output: 27,
    });
  });

  test('includes what an advisor was asked, without double counting, nor rounds of another model', () => {
    const round = (type: string) => ({ type, input_tokens: 100, output_tokens: 20 });
    const usageOf = (...types: string[]) =>
      decode({ ...MESSAGE, usage: { input_tokens: 5, output_tokens: 7, iterations: types.map(round) } }).usage;
    expect(usageOf('message', 'advisor_message', 'message')).toMatchObject({ input: 105, output: 27 });
    expect(usageOf('message', 'fallback_message')).toMatchObject({ input: 5, output: 7 });
  });

  test('has its finish reason in both vocabularies', () => {
    const finish = (stop_reason: string, stop_sequence: string | null = null) =>
      decode({ ...MESSAGE, stop_reason, stop_sequence }).candidates[0]?.finish;
    expect(finish('stop_sequence', 'END')).toEqual({ unified: 'stop', raw: 'stop_sequence', stopSequence: 'END' });
    expect(finish('model_context_window_exceeded')?.unified).toBe('length');
    expect(finish('refusal')?.unified).toBe('content-filter');
    expect(finish('pause_turn')?.unified).toBe('pause');
    expect(finish('reason_of_tomorrow')).toEqual({ unified: 'other', raw: 'reason_of_tomorrow' });
  });

  test('that is invalid is a failure', () => {
    const failure = (value: unknown) => anthropicMessages.decodeAnswer(bytes(value), source);
    expect(failure('<html>')).toMatchObject({ code: 'upstream_error', kind: 'garbage' });
    expect(failure({ ok: true })).toMatchObject({ kind: 'garbage' });
    expect(failure({ type: 'error', error: { type: 'rate_limit_error', message: 'm' } })).toMatchObject({
      code: 'rate_limit_exceeded',
    });
  });
});

describe("a client's response", () => {
  test('from another provider is in this format', () => {
    const response: ExchangeResponse = {
      id: 'chatcmpl-1',
      created: 1,
      candidates: [
        {
          index: 0,
          parts: [
            { type: 'reasoning', text: 'so', state: { family: 'openai-chat', data: '', provider: 'x', channel: 'c' } },
            {
              type: 'text',
              text: 'see',
              citations: [
                {
                  url: 'https://a.example',
                  title: 'A',
                  citedText: null,
                  start: 0,
                  end: 3,
                  documentIndex: null,
                  raw: null,
                },
              ],
            },
            { type: 'text', text: '' },
            { type: 'tool-call', id: 'call_1', name: 'f', arguments: 'not json' },
            { type: 'image', source: { kind: 'url', url: 'https://a.example/i.png' }, mediaType: null },
          ],
          finish: { unified: 'tool-calls', raw: 'tool_calls' },
        },
      ],
      usage: {
        input: 5,
        cachedInput: 3,
        cacheWrite: 0,
        output: 7,
        reasoning: 2,
        source: 'reported',
        raw: { prompt_tokens: 8 },
      },
    };
    const answer = JSON.parse(anthropicMessages.encodeAnswer(response, context()));
    expect(answer).toMatchObject({
      id: 'msg_new',
      type: 'message',
      role: 'assistant',
      model: 'public',
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 3,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 2 },
      },
      _routing: routing,
    });
    expect(answer.content.slice(1)).toEqual([
      {
        type: 'text',
        text: 'see',
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a.example',
            title: 'A',
            cited_text: '',
            encrypted_index: '',
          },
        ],
      },
      { type: 'tool_use', id: 'call_1', name: 'f', caller: { type: 'direct' }, input: { arguments: 'not json' } },
      { type: 'text', text: '![image](https://a.example/i.png)', citations: null },
    ]);
  });
});

test('unexpected members of a response are read as far as possible', () => {
  const content = [
    { type: 'tool_use', id: { toString: null }, name: 'weather', input: {} },
    { type: 'tool_use', name: ['weather'] },
  ];
  const { candidates } = decode({ ...MESSAGE, content, stop_reason: 'constructor' });
  expect(candidates[0]).toMatchObject({
    parts: [
      { id: 'toolu_0', name: 'weather', arguments: '{}' },
      { id: 'toolu_1', name: '', arguments: '{}' },
    ],
    finish: { unified: 'other', raw: 'constructor' },
  });
  const answer = { id: null, created: null, candidates, usage: null };
  expect(JSON.parse(anthropicMessages.encodeAnswer(answer, context())).stop_reason).toBe('end_turn');
});
