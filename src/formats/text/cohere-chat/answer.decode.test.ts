import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { cohereChat } from './index.ts';

const SOURCE = { provider: 'cohere', channel: 'cohere-1', quirks: [] };

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('a whole response', () => {
  const decodeWhole = (body: object) => {
    const decoded = cohereChat.decodeAnswer(bytesOf(JSON.stringify(body)), SOURCE);
    if (decoded instanceof Failure) throw new Error(decoded.message);
    return decoded;
  };

  test('has its parts in order, with citations counted in characters', () => {
    const decoded = decodeWhole({
      id: 'id-1',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: '😀 is green' },
          { type: 'new', x: 1 },
        ],
        citations: [
          { start: 5, end: 10, text: 'green', sources: [{ type: 'tool', id: 't:0', tool_output: { content: 'g' } }] },
          { start: 0, end: 1, text: 'H', type: 'THINKING_CONTENT', sources: [] },
        ],
        tool_plan: 'Plan.',
        tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{"a": 1}' } }],
      },
      finish_reason: 'TOOL_CALL',
      usage: { tokens: { input_tokens: 500, output_tokens: 5, image_tokens: 7 }, cached_tokens: 480 },
      logprobs: [{ text: 'x', token_ids: [1], logprobs: [-1] }],
    });
    const [candidate] = decoded.candidates;
    expect(candidate?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm', state: { family: 'cohere', data: '' } },
      {
        type: 'text',
        text: '😀 is green',
        citations: [{ start: 6, end: 11, citedText: '{"content":"g"}', documentIndex: null }],
      },
      { type: 'unknown', value: { type: 'new', x: 1 } },
      { type: 'reasoning', text: 'Plan.', state: { data: 'tool_plan' } },
      { type: 'tool-call', id: 'c1', name: 'add', arguments: '{"a": 1}' },
    ]);
    expect(candidate?.logprobs).toEqual([{ token: 'x', logprob: -1, bytes: null, top: [] }]);
    // There are no billed units, so the tokens count, cached ones separately and images in addition.
    expect(decoded.usage).toMatchObject({ input: 20, cachedInput: 480, inputImage: 7, output: 5 });
  });

  test('counts billed tokens, including images, with reasoning separate', () => {
    const { usage } = decodeWhole({
      message: { content: [] },
      finish_reason: 'COMPLETE',
      usage: {
        billed_units: { input_tokens: 263, output_tokens: 30 },
        tokens: { input_tokens: 500, output_tokens: 33, image_tokens: 259, reasoning_tokens: 20 },
        cached_tokens: 480,
      },
    });
    expect(usage).toMatchObject({ input: 4, cachedInput: 0, inputImage: 259, output: 10, reasoning: 20 });
  });

  test.each([
    ['[]', 'garbage'],
    ['{}', 'garbage'],
    ['{"message":"no such thing"}', 'error_in_200'],
    ['{"message":{"content":[]},"finish_reason":"ERROR"}', 'error_in_200'],
  ])('that is invalid: %s', (body, kind) => {
    expect(cohereChat.decodeAnswer(bytesOf(body), SOURCE)).toMatchObject({ kind });
  });
});
