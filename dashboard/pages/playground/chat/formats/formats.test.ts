import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../../shared/json.ts';
import { type AnswerTurn, type Asked, EMPTY_DRAFT, FORMATS, type FormatId, type Turn } from '../conversation.ts';
import { CHAT_FORMATS } from './index.ts';

/* The same answer in each format: a thought, a text, a tool call, the end. */

const STREAMS: Readonly<Record<FormatId, readonly JsonObject[]>> = {
  'openai-chat': [
    { choices: [{ index: 0, delta: { role: 'assistant', content: null } }] },
    { choices: [{ index: 0, delta: { reasoning_content: 'I should ' } }] },
    { choices: [{ index: 0, delta: { reasoning_content: 'look.' } }] },
    { choices: [{ index: 0, delta: { reasoning_details: [{ type: 'reasoning.text', text: 't', signature: 's' }] } }] },
    { choices: [{ index: 0, delta: { content: 'One ' } }] },
    { choices: [{ index: 0, delta: { content: 'moment.' } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'find', arguments: '{"q"' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':"x"}' } }] } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    {
      choices: [],
      usage: {
        ...{ prompt_tokens: 10, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    },
  ],
  responses: [
    { type: 'response.created', response: {} },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } },
    { type: 'response.reasoning_summary_text.delta', delta: 'I should ' },
    { type: 'response.reasoning_summary_text.delta', delta: 'look.' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'One ' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'moment.' },
    {
      ...{ type: 'response.output_item.added', output_index: 2 },
      item: { type: 'function_call', call_id: 'c1', name: 'find', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"q":"x"}' },
    {
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [
          { type: 'reasoning', encrypted_content: 's' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One moment.' }] },
          { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"q":"x"}' },
        ],
        usage: {
          ...{ input_tokens: 10, output_tokens: 7, input_tokens_details: { cached_tokens: 4 } },
          output_tokens_details: { reasoning_tokens: 3 },
        },
      },
    },
  ],
  messages: [
    { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'I should look.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'One ' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'moment.' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'find', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"q":' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"x"}' } },
    {
      ...{ type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      usage: {
        ...{ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 7 },
        output_tokens_details: { thinking_tokens: 3 },
      },
    },
    { type: 'message_stop' },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: 'I should ', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'look.', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'One ' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'moment.' }] } }] },
    {
      candidates: [
        {
          content: {
            parts: [{ functionCall: { id: 'c1', name: 'find', args: { q: 'x' } }, thoughtSignature: 's' }],
          },
        },
      ],
    },
    {
      candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        ...{ promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 4, thoughtsTokenCount: 3 },
      },
    },
  ],
};

const FAILURES: Readonly<Record<FormatId, JsonObject>> = {
  'openai-chat': { error: { message: 'It broke.', code: 'upstream_error' } },
  responses: { type: 'error', code: 'upstream_error', message: 'It broke.' },
  messages: { type: 'error', error: { type: 'api_error', code: 'upstream_error', message: 'It broke.' } },
  gemini: { error: { code: 502, message: 'It broke.', status: 'upstream_error' } },
};

const ASKED: Asked = {
  ...{ model: 'm', turns: [], system: '', temperature: null, maxTokens: null, effort: null },
  ...{ tools: [], schema: null, cache: null },
};

function answerIn(format: FormatId, model = 'm'): AnswerTurn {
  const reader = CHAT_FORMATS[format].reader();
  for (const event of STREAMS[format]) reader.read(event);
  expect(reader.isComplete).toBe(true);
  return {
    ...{ role: 'answer', model, format, ...EMPTY_DRAFT, ...reader.draft, native: reader.native },
    ...{ requestId: null, routing: null, losses: [], isRunning: false, isStopped: false, failure: null },
    ...{ firstMs: 1, totalMs: 2 },
  };
}

describe.each([...FORMATS])('%s', (format) => {
  test('assembles a response', () => {
    const { text, reasoning, calls, tokens } = answerIn(format);
    expect({ text, reasoning, tokens }).toEqual({
      ...{ text: 'One moment.', reasoning: 'I should look.' },
      tokens: { input: 10, cached: 4, output: 7, reasoning: 3 },
    });
    expect(calls).toEqual([{ id: 'c1', name: 'find', arguments: '{"q":"x"}' }]);
  });

  test('sends its own response back with the signature, and that of another format without', () => {
    const sent = (from: FormatId) => {
      const turns: Turn[] = [
        { role: 'user', text: 'Find x.', files: [] },
        answerIn(from),
        { role: 'tool', results: [{ callId: 'c1', name: 'find', output: 'found' }] },
      ];
      return JSON.stringify(CHAT_FORMATS[format].request({ ...ASKED, turns }).body);
    };
    expect(sent(format)).toMatch(/"(?:signature|encrypted_content|thoughtSignature)":"s"/);
    for (const other of FORMATS) {
      const body = sent(other);
      for (const said of ['Find x.', 'One moment.', 'c1', 'found']) expect(body).toContain(said);
      if (other !== format) expect(body).not.toContain('"s"');
    }
  });

  test('does not treat a truncated response as complete, and reports a failure', () => {
    const reader = CHAT_FORMATS[format].reader();
    for (const event of STREAMS[format].slice(0, 3)) reader.read(event);
    expect(reader.isComplete).toBe(false);
    expect(() => reader.read(FAILURES[format])).toThrow(
      expect.objectContaining({ message: 'It broke.', code: 'upstream_error' }),
    );
  });
});
