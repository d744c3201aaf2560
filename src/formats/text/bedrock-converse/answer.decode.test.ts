import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { bedrockConverse } from './index.ts';

const SOURCE = { provider: 'bedrock', channel: 'bedrock-1', quirks: [] };

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('a whole response', () => {
  const decodeWhole = (body: object) => bedrockConverse.decodeAnswer(bytesOf(JSON.stringify(body)), SOURCE);
  const answer = (content: readonly object[], more: object = {}) => ({
    output: { message: { role: 'assistant', content } },
    stopReason: 'end_turn',
    usage: { inputTokens: 0, outputTokens: 48, totalTokens: 75, cacheReadInputTokens: 27 },
    ...more,
  });

  test('has the same parts as its stream', () => {
    const decoded = decodeWhole(
      answer([
        { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
        { text: 'Hi' },
        { toolUse: { toolUseId: 't1', name: 'add', input: { a: 1 }, type: 'tool_use' } },
        { citationsContent: { content: [{ text: 'cited' }], citations: [{ source: 'https://example.com/' }] } },
        { somethingNew: 1 },
      ]),
    );
    if (decoded instanceof Failure) throw new Error(decoded.message);
    expect(decoded.candidates[0]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm', state: { family: 'anthropic', data: 'c2ln' } },
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', id: 't1', name: 'add', arguments: '{"a":1}' },
      { type: 'text', text: 'cited', citations: [{ url: 'https://example.com/', start: 0, end: 5 }] },
      { type: 'unknown', format: 'bedrock-converse', value: { somethingNew: 1 } },
    ]);
    expect(decoded.candidates[0]?.finish).toEqual({ unified: 'tool-calls', raw: 'end_turn' });
    expect(decoded.usage).toMatchObject({ input: 0, cachedInput: 27, cacheWrite: 0, output: 48 });
  });

  test('distinguishes cache writes for an hour from shorter ones', () => {
    const cacheDetails = [
      { ttl: '1h', inputTokens: 30 },
      { ttl: '5m', inputTokens: 12 },
    ];
    const usage = { inputTokens: 1, outputTokens: 1, cacheWriteInputTokens: 42, cacheDetails };
    const decoded = decodeWhole(answer([], { usage }));
    if (decoded instanceof Failure) throw new Error(decoded.message);
    expect(decoded.usage).toMatchObject({ cacheWrite: 12, cacheWrite1h: 30 });
  });

  test.each([
    ['{', 'garbage'],
    ['{}', 'garbage'],
    ['{"message":"Oh no"}', 'error_in_200'],
  ])('that is invalid: %s', (text, kind) => {
    expect(bedrockConverse.decodeAnswer(bytesOf(text), SOURCE)).toMatchObject({ kind });
  });

  test('for an unknown model of the channel is not a client error', () => {
    const body = bytesOf('{"message":"The provided model identifier is invalid."}');
    const failure = bedrockConverse.decodeFailure(400, new Headers(), body);
    expect(failure).toMatchObject({ code: 'upstream_error', kind: 'http_400', retry: 'other-target' });
  });
});
