import { describe, expect, test } from 'bun:test';
import type { MediaPart, Message, Part } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest, type FunctionTool } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOf } from '../../shared/json/json-writer.ts';
import { cohereChat } from './index.ts';

const TARGET = {
  upstreamModel: 'command-a-03-2025',
  stream: false,
  provider: 'cohere',
  channel: 'cohere-1',
  quirks: [],
  carries: cohereChat.carries,
};

function encode(request: Partial<ExchangeRequest>) {
  const messages: readonly Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const encoded = cohereChat.encodeRequest({ ...emptyRequest('openai-chat', {}), messages, ...request }, TARGET);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  return {
    body: JSON.parse(textOf(encoded.body)),
    losses: encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`),
  };
}

function encodeParts(parts: readonly Part[], role: Message['role'] = 'user') {
  const { body, losses } = encode({ messages: [{ role, parts }] });
  return { message: body.messages[0], body, losses };
}

function tool(name: string, more: Partial<FunctionTool> = {}): FunctionTool {
  const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  return { type: 'function', name, description: 'Adds.', parameters, strict: null, path: name, ...more };
}

describe('the conversation', () => {
  test('has everything that Cohere supports', () => {
    const { body, losses } = encode({
      messages: [
        { role: 'developer', parts: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      ],
      maxOutputTokens: 24,
      temperature: 0.2,
      topP: 0.8,
      topK: 20,
      frequencyPenalty: 0.1,
      presencePenalty: 0.1,
      seed: 11,
      stop: ['<END>'],
      logprobs: { top: 0 },
    });
    expect(body).toEqual({
      model: 'command-a-03-2025',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ],
      stream: false,
      max_tokens: 24,
      temperature: 0.2,
      p: 0.8,
      k: 20,
      frequency_penalty: 0.1,
      presence_penalty: 0.1,
      seed: 11,
      stop_sequences: ['<END>'],
      logprobs: true,
    });
    expect(losses).toEqual([]);
  });

  test('has calls, plans, reasoning and results each in their place', () => {
    const state = (data: string) => ({ family: 'cohere', data, provider: 'cohere', channel: 'another' }) as const;
    const { body, losses } = encode({
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'Hm.', state: state('') },
            { type: 'reasoning', text: 'I will add.', state: state('tool_plan') },
            { type: 'tool-call', id: 'c1', name: 'add', arguments: '{"a": 1}' },
            { type: 'tool-call', id: 'c2', name: 'now', arguments: '' },
          ],
        },
        {
          role: 'tool',
          parts: [
            { type: 'tool-result', id: 'c1', content: [{ type: 'text', text: '2' }] },
            { type: 'tool-result', id: 'c2', content: [], isError: true, path: 'r' },
          ],
        },
      ],
    });
    expect(body.messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Hm.' }],
        tool_plan: 'I will add.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a": 1}' } },
          { id: 'c2', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '2' }] },
      { role: 'tool', tool_call_id: 'c2', content: '' },
    ]);
    expect(losses).toEqual(['r.is_error: dropped']);
  });

  test('drops reasoning of other providers', () => {
    const state = { family: 'anthropic', data: 'x', provider: null, channel: null } as const;
    const { message, losses } = encodeParts(
      [
        { type: 'reasoning', text: 'A', state, path: 'a' },
        { type: 'reasoning', text: 'B', path: 'b' },
        { type: 'text', text: 'C' },
      ],
      'assistant',
    );
    expect(message.content).toEqual([{ type: 'text', text: 'C' }]);
    expect(losses).toEqual(['a: dropped', 'b: dropped']);
  });

  test('has images by URL or inline, and text documents beside the messages', () => {
    const { message, body, losses } = encodeParts([
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, mediaType: null, detail: 'low' },
      { type: 'image', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'image/webp' },
      { type: 'document', source: { kind: 'text', text: 'T' }, mediaType: null, title: 'N', citationsEnabled: false },
      { type: 'document', source: { kind: 'base64', data: 'SGk=' }, mediaType: 'text/csv' },
    ]);
    expect(message.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } },
    ]);
    expect(body.documents).toEqual([
      { id: 'document_0', data: { text: 'T', title: 'N' } },
      { id: 'document_1', data: { text: 'Hi' } },
    ]);
    expect(body.citation_options).toEqual({ mode: 'OFF' });
    expect(losses).toEqual([]);
  });

  test.each([
    [{ type: 'document', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'application/pdf', path: 'x' }],
    [{ type: 'audio', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'audio/wav', path: 'x' }],
    [{ type: 'video', source: { kind: 'url', url: 'https://example.com/v.mp4' }, mediaType: null, path: 'x' }],
    [{ type: 'image', source: { kind: 'file', id: 'f', format: 'gemini' }, mediaType: null, path: 'x' }],
  ] as const)('refuses %j', (part) => {
    expect(encodeParts([part]).losses).toEqual(['x: refused']);
  });

  test('allows only text and text documents in a result', () => {
    const image: MediaPart = {
      type: 'image',
      source: { kind: 'base64', data: 'A' },
      mediaType: 'image/png',
      path: 'i',
    };
    const document: MediaPart = { type: 'document', source: { kind: 'text', text: 'T' }, mediaType: null };
    const { message, losses } = encodeParts([{ type: 'tool-result', id: 'c', content: [document, image] }], 'tool');
    expect(message.content).toEqual([{ type: 'document', document: { data: { text: 'T' } } }]);
    expect(losses).toEqual(['i: refused']);
  });
});

describe('tools', () => {
  test.each([
    [{ mode: 'auto' }, undefined, 2],
    [{ mode: 'none' }, 'NONE', 2],
    [{ mode: 'required' }, 'REQUIRED', 2],
    [{ mode: 'tool', name: 'b' }, 'REQUIRED', 1],
    [{ mode: 'allowed', names: ['a'], required: false }, undefined, 1],
  ] as const)('are chosen for %j', (toolChoice, expected, declared) => {
    const { body, losses } = encode({ tools: [tool('a'), tool('b')], toolChoice });
    expect(body.tool_choice).toBe(expected);
    expect(body.tools).toHaveLength(declared);
    expect(losses).toHaveLength(declared === 1 ? 2 : 0);
  });

  test('are strict only if all are', () => {
    expect(encode({ tools: [tool('a', { strict: true })] }).body.strict_tools).toBe(true);
    const mixed = encode({ tools: [tool('a', { strict: true }), tool('b')] });
    expect(mixed.body.strict_tools).toBeUndefined();
    expect(mixed.losses).toEqual(['a.strict: dropped']);
    const bare = encode({ tools: [tool('a', { strict: true, parameters: null })] });
    expect(bare.losses).toEqual(['a.strict: dropped']);
  });
});

describe('settings', () => {
  const nothing = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };

  test.each([
    [{ budgetTokens: 500 }, { type: 'enabled', token_budget: 500 }, []],
    [{ effort: 'low' }, { type: 'enabled', token_budget: 1_024 }, ['reasoning-effort: approximated']],
    [{ effort: 'none' }, { type: 'disabled' }, []],
    [{ enabled: false }, { type: 'disabled' }, []],
    [{ adaptive: true }, { type: 'enabled' }, []],
    [{ summary: 'detailed' }, undefined, ['reasoning-summary: approximated']],
    [{}, undefined, []],
  ] as const)('map reasoning %j', (options, thinking, losses) => {
    const encoded = encode({ reasoning: { ...nothing, ...options } });
    expect(encoded.body.thinking).toEqual(thinking);
    expect(encoded.losses).toEqual([...losses]);
  });

  test('map JSON with and without a schema', () => {
    expect(encode({ responseFormat: { type: 'json' } }).body.response_format).toEqual({ type: 'json_object' });
    const schema = { type: 'object' };
    const { body, losses } = encode({
      responseFormat: { type: 'json-schema', schema, name: 'n', description: null, strict: true },
    });
    expect(body.response_format).toEqual({ type: 'json_object', schema });
    expect(losses).toEqual(['response_format: approximated']);
  });

  test('refuse a response format together with tools', () => {
    const tool = { type: 'function', name: 'f', description: null, parameters: { type: 'object' } } as const;
    const { body, losses } = encode({ responseFormat: { type: 'json' }, tools: [{ ...tool, strict: null }] });
    expect(body).not.toHaveProperty('response_format');
    expect(losses).toEqual(['response_format: refused']);
  });

  test('are clamped to their ranges, and unsupported ones are reported', () => {
    const { body, losses } = encode({
      topP: 1,
      frequencyPenalty: -0.5,
      stop: ['1', '2', '3', '4', '5', '6'],
      candidateCount: 2,
    });
    expect(body).toMatchObject({ p: 0.99, frequency_penalty: 0, stop_sequences: ['1', '2', '3', '4', '5'] });
    expect(losses).toEqual([
      'candidate-count: refused',
      'stop: approximated',
      'top-p: approximated',
      'frequency-penalty: approximated',
    ]);
  });
});
