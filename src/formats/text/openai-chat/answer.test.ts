import { describe, expect, test } from 'bun:test';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeUsage } from '../shared/openai-usage.ts';
import { openaiChat } from './index.ts';
import { answerContext, SOURCE } from './testing/exchange.ts';

function decode(answer: unknown): ExchangeResponse {
  const bytes = new TextEncoder().encode(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const decoded = openaiChat.decodeAnswer(bytes, SOURCE);
  if (decoded instanceof Failure) throw new Error(`${decoded.kind}: ${decoded.message}`);
  return decoded;
}

const said = (message: object, finish_reason: string | null = 'stop', beside: object = {}) =>
  decode({ id: 'chatcmpl-1', created: 5, ...beside, choices: [{ index: 0, message, finish_reason }] });
const partsOf = (...given: Parameters<typeof said>) => said(...given).candidates[0]?.parts;
const mark = { family: 'openai-chat', data: '', provider: 'acme', channel: 'acme-1' };

describe('a response of any provider', () => {
  test('has reasoning from each member', () => {
    const plain = [
      { type: 'reasoning', text: 'hm', state: mark },
      { type: 'text', text: 'a' },
    ];
    expect(partsOf({ content: 'a', reasoning_content: 'hm' })).toEqual(plain as never);
    expect(partsOf({ content: 'a', reasoning: 'hm' })).toEqual(plain as never);
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a' },
    ];
    expect(partsOf({ content })).toEqual(plain as never);
    const details = [{ type: 'reasoning.text', text: 'hm', signature: 's', index: 0 }];
    expect(partsOf({ content: 'a', reasoning: 'hm', reasoning_details: details })).toMatchObject([
      { text: 'hm', state: { ...mark, data: JSON.stringify(details) } },
      { text: 'a' },
    ]);
  });

  test('has sources of OpenAI, Perplexity and Mistral', () => {
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 } },
    ];
    expect(partsOf({ content: 'a', annotations })).toMatchObject([{ citations: [{ url: 'u', start: 0, end: 1 }] }]);
    const search_results = [{ url: 'u', title: 't', snippet: 's' }];
    expect(partsOf({ content: 'a' }, 'stop', { search_results, citations: ['u'] })).toMatchObject([
      { citations: [{ url: 'u', title: 't', citedText: 's' }] },
    ]);
    expect(partsOf({ content: 'a' }, 'stop', { citations: ['u'] })).toMatchObject([{ citations: [{ url: 'u' }] }]);
    const content = [
      { type: 'text', text: 'a' },
      { type: 'reference', reference_ids: [1] },
    ];
    expect(partsOf({ content })).toMatchObject([{ citations: [{ url: null, raw: { value: content[1] } }] }]);
  });

  test('has calls with empty or repeated ids, arguments as objects, custom tools and legacy functions', () => {
    const f = (id: string, args: unknown) => ({ id, type: 'function', function: { name: 'f', arguments: args } });
    const calls = partsOf({ tool_calls: [f('', '{}'), f('x', { a: 1 }), f('x', '')] });
    expect(calls).toMatchObject([{ arguments: '{}' }, { id: 'x', arguments: '{"a":1}' }, { arguments: '{}' }]);
    expect(new Set(calls?.map((part) => (part as { id: string }).id)).size).toBe(3);
    const custom = { id: 'c', type: 'custom', custom: { name: 'g', input: '1+1' } };
    expect(partsOf({ tool_calls: [custom] })).toMatchObject([{ custom: true, arguments: '1+1' }]);
    expect(partsOf({ function_call: { name: 'f', arguments: '{}' } })).toMatchObject([{ name: 'f' }]);
    const extra_content = { google: { thought_signature: 'ts' } };
    expect(partsOf({ tool_calls: [{ ...f('y', '{}'), extra_content }] })).toMatchObject([
      { state: { family: 'google', data: 'ts', provider: 'acme' } },
    ]);
  });

  test('has refusals, images and audio', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }];
    const audio = { id: 'audio_1', data: 'UklGRiQAAABXQVZF', transcript: 'hello', expires_at: 1 };
    expect(partsOf({ content: null, refusal: 'no', images, audio })).toMatchObject([
      { type: 'text', text: 'hello' },
      { type: 'refusal', text: 'no' },
      { type: 'image', mediaType: 'image/png' },
      { type: 'audio', mediaType: 'audio/wav', state: { data: 'audio_1' } },
    ]);
  });

  test.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['sensitive', 'content-filter'],
    ['tool_use', 'tool-calls'],
    ['tomorrow', 'other'],
    [null, 'stop'],
  ])('has finish_reason %p as %s', (raw, unified) => {
    expect(said({ content: 'a' }, raw).candidates[0]?.finish).toEqual({ unified: unified as never, raw });
  });

  test('has no finish reason if it is empty, or the word null', () => {
    for (const raw of ['', 'null'])
      expect(said({ content: 'a' }, raw).candidates[0]?.finish).toEqual({ unified: 'stop', raw: null });
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    expect(said({ tool_calls: [call] }, '').candidates[0]?.finish.unified).toBe('tool-calls');
  });

  test('has no call, audio or refusal from zero values, and no others are hidden', () => {
    const zeros = {
      function_call: { name: '', arguments: '' },
      audio: { id: '', data: '' },
      refusal: '',
      reasoning_content: '',
    };
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      custom: { name: '', input: '' },
    };
    expect(said({ content: 'a', tool_calls: [], ...zeros }).candidates[0]?.parts).toEqual([
      { type: 'text', text: 'a' },
    ]);
    expect(said({ content: null, tool_calls: [call], ...zeros }).candidates[0]?.parts).toEqual([
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
    ]);
    const custom = {
      id: 'c',
      type: 'custom',
      custom: { name: 'g', input: 'x' },
      function: { name: '', arguments: '' },
    };
    expect(said({ tool_calls: [custom] }).candidates[0]?.parts).toMatchObject([
      { name: 'g', arguments: 'x', custom: true },
    ]);
  });

  test.each([
    ['{"error":{"message":"down"}}', 'error_in_200'],
    ['{"object":"error","message":"down"}', 'error_in_200'],
    ['{"choices":[{"index":0,"error":{"message":"down"},"finish_reason":"error"}]}', 'error_in_200'],
    ['{"text":"a transcript"}', 'garbage'],
    ['<html>', 'garbage'],
  ])('%s is not a response', (body, kind) => {
    expect(() => decode(body)).toThrow(kind);
  });
});

describe('usage in disjoint parts', () => {
  const counts = (usage: object) => {
    const { raw: _, source: __, ...parts } = decodeUsage(usage) ?? {};
    return parts;
  };
  const prompt = { prompt_tokens: 10, completion_tokens: 6 };

  test('has cached tokens and reasoning included, for OpenAI, DeepSeek, Moonshot and Mistral', () => {
    const expected = { input: 6, cachedInput: 4, cacheWrite: 0, output: 1, reasoning: 5 };
    const completion_tokens_details = { reasoning_tokens: 5 };
    for (const cached of [
      { prompt_tokens_details: { cached_tokens: 4 } },
      { prompt_cache_hit_tokens: 4 },
      { cached_tokens: 4 },
      { num_cached_tokens: 4 },
    ]) {
      expect(counts({ ...prompt, ...cached, completion_tokens_details })).toEqual(expected);
    }
  });

  test('has them separate if the total shows it: reasoning at xAI and Gemini, audio at Mistral', () => {
    const completion_tokens_details = { reasoning_tokens: 5 };
    expect(counts({ ...prompt, total_tokens: 21, completion_tokens_details })).toMatchObject({
      output: 6,
      reasoning: 5,
    });
    expect(counts({ ...prompt, total_tokens: 21 })).toMatchObject({ output: 6, reasoning: 5 });
    const prompt_tokens_details = { audio_tokens: 99, cached_tokens: 9 };
    expect(counts({ ...prompt, total_tokens: 115, prompt_audio_seconds: 2, prompt_tokens_details })).toMatchObject({
      input: 1,
      cachedInput: 9,
      inputAudio: 99,
      output: 6,
      reasoning: 0,
    });
  });

  test('has no part larger than the whole', () => {
    const completion_tokens_details = { reasoning_tokens: 9 };
    expect(counts({ ...prompt, completion_tokens_details })).toMatchObject({ output: 0, reasoning: 6 });
    expect(decodeUsage({ queue_time: 1 })).toBeNull();
  });
});

describe('a response for a chat client', () => {
  const usage = { input: 6, cachedInput: 4, cacheWrite: 0, output: 1, reasoning: 5, source: 'reported' } as const;
  const finish = { unified: 'stop', raw: 'end_turn' } as const;
  const encode = (parts: unknown[], body: Record<string, unknown> = {}) => {
    const response = {
      id: 'msg_1',
      created: null,
      candidates: [{ index: 0, parts, finish }],
      usage,
    } as ExchangeResponse;
    return JSON.parse(openaiChat.encodeAnswer(response, answerContext(body)));
  };

  test('has every documented field, in its own conventions', () => {
    const state = { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'c' };
    const citation = { url: 'u', title: null, citedText: null, start: 0, end: 1, documentIndex: null, raw: null };
    const answer = encode([
      { type: 'reasoning', text: 'hm', state },
      { type: 'text', text: 'x' },
      { type: 'text', text: 'a', citations: [citation] },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
    ]);
    expect(answer).toMatchObject({
      id: 'chatcmpl-fresh',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'public',
      usage: {
        prompt_tokens: 10,
        completion_tokens: 6,
        total_tokens: 16,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      _routing: { cached: false },
    });
    const [choice] = answer.choices;
    expect(choice.finish_reason).toBe('tool_calls');
    expect(choice.message).toMatchObject({ role: 'assistant', content: 'xa', refusal: null, reasoning_content: 'hm' });
    expect(choice.message.annotations[0].url_citation).toEqual({ start_index: 1, end_index: 2, url: 'u', title: 'u' });
    const again = decode(answer).candidates[0]?.parts[0];
    expect(again).toEqual({ type: 'reasoning', text: 'hm', state } as never);
  });

  test('uses legacy functions for a client that declared them', () => {
    const call = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' };
    const [choice] = encode([call], { functions: [{ name: 'f' }] }).choices;
    expect(choice.message.function_call).toEqual({ name: 'f', arguments: '{}' });
    expect(choice.finish_reason).toBe('function_call');
  });
});

test('choices with the same index are separate candidates, and invalid members are ignored', () => {
  const choice = { index: 3, message: { content: 'a' }, finish_reason: 'constructor' };
  const answer = decode({ created: { valueOf: null }, choices: [choice, choice, { ...choice, index: 1e300 }] });
  expect(answer.created).toBeNull();
  expect(answer.candidates.map(({ index, finish }) => [index, finish.unified])).toEqual([
    [0, 'other'],
    [1, 'other'],
    [2, 'other'],
  ]);
});

describe('a whole response with an error beside its message', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Half of' }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const outcomes = (error: unknown) => {
    const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
    return [
      { choices, usage, error },
      { error, choices, usage },
    ].flatMap((answer) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ id: 'c', model: 'm', ...answer }));
      return [openaiChat.decodeAnswer(bytes, SOURCE), openaiChat.relayAnswer(bytes, patch)];
    });
  };

  test("is the channel's failure, so that another one may complete it", () => {
    for (const outcome of outcomes({ message: 'The model is down', code: 502 })) {
      expect(outcome).toMatchObject({ code: 'upstream_error', kind: 'error_in_200', retry: 'other-target' });
    }
  });

  test('keeps code and type of a client error', () => {
    const error = { message: 'Bad call', type: 'invalid_request_error', code: 'tool_use_failed' };
    for (const outcome of outcomes(error)) expect(outcome).toMatchObject({ side: 'client', status: 400 });
  });

  test.each([null, '', {}, { code: 0, message: '' }])('is a success if the error is %j', (error) => {
    for (const outcome of outcomes(error)) expect(outcome).not.toBeInstanceOf(Failure);
  });
});

test("Groq's counts per model are part of its usage, and not added to it", () => {
  const usage = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 };
  const models = [10, 20].map((prompt_tokens) => ({ model: 'm', usage: { prompt_tokens, completion_tokens: 6 } }));
  const answer = said({ content: 'a' }, 'stop', { usage, usage_breakdown: { models } });
  expect(answer.usage).toMatchObject({ input: 30, output: 12 });
});

test("OpenRouter's searches are counted once, whichever member has them", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 1, server_tool_use: { web_search_requests: 2 } };
  expect(decodeUsage(usage)).toMatchObject({ input: 3, output: 1, webSearches: 2 });
  const both = { ...usage, server_tool_use_details: { tool_calls_executed: 2, tool_calls_requested: 2 } };
  expect(decodeUsage(both)).toMatchObject({ input: 3, output: 1, webSearches: 2 });
});
