import { describe, expect, test } from 'bun:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { ownExchanges, type Recording } from '../shared/recordings.ts';
import { failureInside } from './failure-inside.ts';
import { testReaders } from './readable-exchanges.ts';
import { readAnswer, readRecordedAnswer, readStream } from './recorded-answer.ts';

describe("responses of the project's own exchanges", () => {
  testReaders(ownExchanges(), [
    'anthropic/messages/broken-stream.json',
    'bedrock/converse-stream/broken-stream.json',
    'openai/responses/failed-stream.json',
  ]);
});

describe('chat', () => {
  const usageOf = (usage: object, provider = '') => readAnswer('chat', { choices: [], usage }, provider).usage;

  test('content parts with thinking', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Hi' },
    ];
    const [read] = readAnswer('chat', { choices: [{ message: { content }, finish_reason: 'stop' }] }).candidates;
    expect(read).toMatchObject({ text: 'Hi', reasoning: 'Hm', finish: 'stop' });
  });

  test('reasoning under two names is read once', () => {
    const chunks = ['a', 'b'].map((text) => ({ choices: [{ delta: { reasoning: text, reasoning_content: text } }] }));
    expect(readStream('chat', chunks).candidates[0]?.reasoning).toBe('ab');
  });

  test('interleaved pieces of parallel calls, and calls that share an index', () => {
    const call = (index: number, id: string | undefined, name: string | undefined, text: string) => ({
      choices: [{ delta: { tool_calls: [{ index, id, function: { name, arguments: text } }] } }],
    });
    const mixed = [call(0, 'a', 'f', '{"x"'), call(1, 'b', 'g', '{}'), call(0, undefined, undefined, ':1}')];
    expect(readStream('chat', mixed).candidates[0]?.toolCalls).toEqual([
      { name: 'f', arguments: { x: 1 } },
      { name: 'g', arguments: {} },
    ]);
    const shared = [call(0, 'a', 'f', '{}'), call(0, 'b', 'g', '{}')];
    expect(readStream('chat', shared).candidates[0]?.toolCalls.map(({ name }) => name)).toEqual(['f', 'g']);
  });

  test('an id that every piece repeats starts no further call', () => {
    const piece = (name: string, text: string) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name, arguments: text } }] } }],
    });
    const read = readStream('chat', [piece('f', '{"x":'), piece('', '1}')]);
    expect(read.candidates[0]?.toolCalls).toEqual([{ name: 'f', arguments: { x: 1 } }]);
  });

  test('reasoning counted beside the completion (xAI) and within it', () => {
    const counts = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } };
    expect(usageOf({ ...counts, total_tokens: 18 })).toMatchObject({ output: 5, reasoning: 3 });
    expect(usageOf({ ...counts, total_tokens: 15 })).toMatchObject({ output: 2, reasoning: 3 });
  });

  test('cached tokens under the names of OpenAI, DeepSeek and Moonshot', () => {
    const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    for (const cached of [
      { prompt_tokens_details: { cached_tokens: 4 } },
      { prompt_cache_hit_tokens: 4 },
      { cached_tokens: 4 },
    ]) {
      expect(usageOf({ ...counts, ...cached })).toMatchObject({ input: 6, cachedInput: 4 });
    }
  });

  test("Groq's usage under x_groq, and Mistral's audio above the sum", () => {
    const groq = [{ choices: [], x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } } }];
    expect(readStream('chat', groq).usage).toMatchObject({ input: 3, output: 2 });
    const audio = { prompt_tokens: 11, completion_tokens: 15, total_tokens: 401 };
    expect(usageOf(audio, 'mistral')).toMatchObject({ input: 386, output: 15 });
  });
});

describe('messages', () => {
  test('a call without arguments, and usage that the last delta replaces', () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 2 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'now', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    ];
    const read = readStream('messages', events);
    expect(read.candidates[0]).toMatchObject({ toolCalls: [{ name: 'now', arguments: {} }], finish: 'tool-calls' });
    expect(read.usage).toEqual({ input: 5, cachedInput: 2, cacheWrite: 0, output: 9, reasoning: 0 });
  });

  test("the provider's own tools are not calls for the client", () => {
    const content = [{ type: 'server_tool_use', name: 'web_search', input: {} }];
    const [read] = readAnswer('messages', { content, stop_reason: 'pause_turn' }).candidates;
    expect(read).toMatchObject({ toolCalls: [], finish: 'pause' });
  });
});

describe('generate-content', () => {
  test('arguments in pieces', () => {
    const call = (functionCall: object) => ({ candidates: [{ content: { parts: [{ functionCall }] } }] });
    const piece = (jsonPath: string, stringValue: string) => ({
      partialArgs: [{ jsonPath, stringValue }],
      willContinue: true,
    });
    const chunks = [
      call({ name: 'cook', willContinue: true }),
      call(piece('$.steps[0].text', 'Bo')),
      call(piece('$.steps[0].text', 'il')),
      call({ partialArgs: [{ jsonPath: '$.servings', numberValue: 2 }] }),
      call({}),
      { candidates: [{ finishReason: 'STOP' }] },
    ];
    expect(readStream('generate-content', chunks).candidates[0]).toMatchObject({
      toolCalls: [{ name: 'cook', arguments: { steps: [{ text: 'Boil' }], servings: 2 } }],
      finish: 'tool-calls',
      rawFinish: 'STOP',
    });
  });

  test('a blocked prompt', () => {
    const read = readAnswer('generate-content', { promptFeedback: { blockReason: 'SAFETY' } });
    expect(read.candidates[0]).toMatchObject({ finish: 'content-filter', rawFinish: 'SAFETY' });
  });

  test('tool results count beside the prompt, cached tokens within it', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      toolUsePromptTokenCount: 3,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 1,
    };
    const read = readAnswer('generate-content', { candidates: [], usageMetadata });
    expect(read.usage).toEqual({ input: 9, cachedInput: 4, cacheWrite: 0, output: 2, reasoning: 1 });
  });
});

describe('converse-stream', () => {
  const codec = new EventStreamCodec(
    (bytes) => new TextDecoder().decode(bytes),
    (text) => new TextEncoder().encode(text),
  );
  const frame = (type: string, data: object) =>
    codec.encode({
      headers: { ':event-type': { type: 'string', value: type } },
      body: new TextEncoder().encode(JSON.stringify(data)),
    });
  const frames = [
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } }),
    frame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { name: 'f' } } }),
    frame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"x":1}' } } }),
    frame('messageStop', { stopReason: 'tool_use' }),
    frame('metadata', { usage: { inputTokens: 1, cacheReadInputTokens: 2, outputTokens: 3 } }),
  ];
  const recording = (responseBody: string): Recording => ({
    id: 'rec-0',
    file: 'bedrock/converse-stream/inline',
    folder: '',
    provider: 'bedrock',
    api: 'converse-stream',
    status: 200,
    stream: true,
    tags: new Set(),
    requestBody: null,
    requestHeaders: {},
    responseBody,
    contentType: null,
  });

  test('frames', () => {
    const read = readRecordedAnswer(recording(Buffer.concat(frames).toString('base64')));
    expect(read?.candidates[0]).toMatchObject({ reasoning: 'Hm', toolCalls: [{ name: 'f', arguments: { x: 1 } }] });
    expect(read?.usage).toEqual({ input: 1, cachedInput: 2, cacheWrite: 0, output: 3, reasoning: 0 });
  });

  test('an exception in place of an event', () => {
    const exception = codec.encode({
      headers: { ':exception-type': { type: 'string', value: 'throttlingException' } },
      body: new TextEncoder().encode('{"message":"slow down"}'),
    });
    const broken = recording(Buffer.concat([...frames.slice(0, 1), exception]).toString('base64'));
    expect(failureInside(broken)).toEqual({ type: 'throttlingException', message: 'slow down' });
    expect(readRecordedAnswer(broken)?.candidates[0]).toMatchObject({ reasoning: 'Hm', finish: 'other' });
  });

  test('a frame with a wrong checksum is an error', () => {
    const broken = Buffer.concat(frames);
    broken[40] = (broken[40] ?? 0) ^ 1;
    expect(() => readRecordedAnswer(recording(broken.toString('base64')))).toThrow('checksum');
  });
});

describe('cohere-chat', () => {
  test('a plan, a streamed call and reasoning', () => {
    const events = [
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { thinking: ' it up' } } } },
      {
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: { function: { name: 'f', arguments: '' } } } },
      },
      { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: '{"x":1}' } } } } },
      {
        type: 'message-end',
        delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 4, output_tokens: 2 } } },
      },
    ];
    const read = readStream('cohere-chat', events);
    expect(read.candidates[0]).toMatchObject({
      reasoning: 'I look it up',
      toolCalls: [{ name: 'f', arguments: { x: 1 } }],
      finish: 'tool-calls',
    });
    expect(read.usage).toMatchObject({ input: 4, output: 2 });
  });
});
