import { describe, expect, test } from 'bun:test';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import type { TracedCall, TracedExchange } from '../../engine/ports/tracing.ts';
import { contentReader } from './content.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const NOTHING = utf8('');

function callOf(format: string, path: string, exchange: Partial<TracedExchange>): TracedCall {
  const whole = exchange.answer ?? NOTHING;
  return {
    ...{ context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1, state: null }, parent: null },
    ...{ record: sampleRecord({ format }), failureSide: null, clientAddress: null, parameters: null },
    ...{ line: { method: 'POST', route: path, path }, attempts: [], steps: [] },
    exchange: {
      ...{ hasContent: true, request: null, answer: null, answerType: 'application/json', isTooLarge: false, size: 0 },
      release: () => undefined,
      ends: [whole.slice(0, 1024), whole.slice(-4096)],
      ...exchange,
    },
  };
}

const ANSWERS: readonly (readonly [format: string, answer: object, id: string, finish: string])[] = [
  [
    'openai-chat',
    {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Say "finish_reason":"fake".' }, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    },
    'chatcmpl-1',
    'length',
  ],
  [
    'anthropic-messages',
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Say "finish_reason":"fake".' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    'msg_1',
    'end_turn',
  ],
  [
    'gemini',
    {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Say "finish_reason":"fake".' }] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 1 },
      responseId: 'r-1',
    },
    '',
    'stop',
  ],
  [
    'openai-responses',
    { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', output: [] },
    'resp_1',
    'stop',
  ],
  [
    'openai-responses',
    { type: 'response.incomplete', response: { id: 'resp_2', object: 'response', status: 'incomplete' } },
    'resp_2',
    'incomplete',
  ],
];

describe('without content', () => {
  test.each(ANSWERS)('the ends of an answer of %s give its id and its finish reason', (format, answer, id, finish) => {
    const attributes = contentReader(1_024)(
      callOf(format, '/x', { hasContent: false, answer: utf8(JSON.stringify(answer)) }),
    );
    expect(attributes?.['gen_ai.response.finish_reasons']).toEqual([finish]);
    if (id !== '') expect(attributes?.['gen_ai.response.id']).toBe(id);
    expect(JSON.stringify(attributes)).not.toContain('fake');
  });

  test('a call that was not expected to be exported has nothing', () => {
    const call = { ...callOf('openai-chat', '/x', {}), exchange: null };
    expect(contentReader(1_024)(call)).toBeNull();
  });
});

const PROMPTS: readonly (readonly [format: string, path: string, body: object])[] = [
  [
    'openai-chat',
    '/v1/chat/completions',
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
  ],
  ['openai-responses', '/v1/responses', { model: 'm', instructions: 'Be brief.', input: 'Hi' }],
  [
    'anthropic-messages',
    '/v1/messages',
    { model: 'm', max_tokens: 9, system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
  ],
  [
    'gemini',
    '/v1beta/models/m:generateContent',
    { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
];

describe('with content', () => {
  test.each(PROMPTS)('a prompt of %s is read', (format, path, body) => {
    const attributes = contentReader(1_024)(callOf(format, path, { request: utf8(JSON.stringify(body)) }));
    expect(JSON.parse(String(attributes?.['gen_ai.system_instructions']))).toEqual([
      { type: 'text', content: 'Be brief.' },
    ]);
    expect(JSON.parse(String(attributes?.['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Hi' }] },
    ]);
  });

  test('media are named by their kind only', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,Y2FuYXJ5' } };
    const body = { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, image] }] };
    const attributes = contentReader(1_024)(
      callOf('openai-chat', '/v1/chat/completions', { request: utf8(JSON.stringify(body)) }),
    );
    expect(attributes?.['gen_ai.input.messages']).toBe(
      '[{"role":"user","parts":[{"type":"text","content":"See"},{"type":"image"}]}]',
    );
  });

  test.each([256, 1_000, 10_000])('an attribute has at most %d bytes and stays JSON', (most) => {
    const messages = Array.from({ length: 100 }, (_, index) => ({
      role: 'user',
      content: `${index} ${'ü'.repeat(1_000)}`,
    }));
    const request = utf8(JSON.stringify({ model: 'm', messages }));
    const text = String(
      contentReader(most)(callOf('openai-chat', '/v1/chat/completions', { request }))?.['gen_ai.input.messages'],
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    const kept: unknown = JSON.parse(text);
    expect(JSON.stringify(kept)).toContain('99 ');
  });

  test.each(['not JSON', '{"choices":1}', ''])('an answer that is %p does no harm', (answer) => {
    const attributes = contentReader(1_024)(
      callOf('openai-chat', '/v1/chat/completions', { answer: utf8(answer), request: utf8(answer) }),
    );
    expect(attributes).not.toHaveProperty(['gen_ai.output.messages']);
  });

  test('what is too large is left out, and said to be', () => {
    const attributes = contentReader(1_024)(callOf('openai-chat', '/v1/chat/completions', { isTooLarge: true }));
    expect(attributes).toEqual({ 'switchyard.content.omitted': 'too_large' });
  });
});
