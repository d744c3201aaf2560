import { describe, expect, test } from 'bun:test';
import { wrapState } from '../shared/state-token.ts';
import { encoded, requestOf } from './testing/exchange.ts';

const partsOf = (message: object) => requestOf({ messages: [message] }).messages[0]?.parts;

test.each([
  [{ reasoning_effort: 'none' }, 'reasoning_effort', undefined],
  [{ thinking: { type: 'disabled' } }, 'thinking.type', 'thinking.type'],
  [{ thinking: { type: 'enabled', budget_tokens: 9 } }, 'thinking.budget_tokens', 'thinking.type'],
  [{ enable_thinking: false }, 'enable_thinking', 'enable_thinking'],
  [{ reasoning: { max_tokens: 9 } }, 'reasoning.max_tokens', 'reasoning.max_tokens'],
  [{ reasoning: { effort: 'low' } }, 'reasoning.effort', 'reasoning.effort'],
])("losses about %j name the client's field", (said, budget, effort) => {
  const { names } = requestOf({ messages: [{ role: 'user', content: 'hi' }], ...said });
  expect(names['reasoning-budget']).toBe(budget);
  expect(names['reasoning-effort']).toBe(effort ?? 'reasoning_effort');
});

describe('a decoded chat request', () => {
  test("has settings under the client's names", () => {
    const request = requestOf({
      max_tokens: 9,
      top_k: 5,
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      stop: 'END',
      user: 'u',
    });
    expect(request).toMatchObject({
      maxOutputTokens: 9,
      topK: 5,
      candidateCount: 2,
      logprobs: { top: 3 },
      stop: ['END'],
    });
    expect(request.names['max-output-tokens']).toBe('max_tokens');
    expect(requestOf({ safety_identifier: 's' })).toMatchObject({ user: 's', names: { user: 'safety_identifier' } });
  });

  test('has every content block', () => {
    const content = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'mp3' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'document_url', document_url: 'https://x/d.pdf' },
      { type: 'video_url', video_url: { url: 'https://x/v.mp4' } },
    ];
    expect(partsOf({ role: 'user', content })).toMatchObject([
      { type: 'text', cache: { ttl: '1h' }, path: 'messages[0].content[0]' },
      { type: 'image', source: { kind: 'url' }, detail: 'low' },
      { type: 'image', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'image/png' },
      { type: 'audio', mediaType: 'audio/mpeg' },
      { type: 'document', mediaType: 'application/pdf', fileName: 'a.pdf' },
      { type: 'document', source: { kind: 'file', id: 'file-1', format: 'openai-chat' } },
      { type: 'document', source: { kind: 'url' } },
      { type: 'video', source: { kind: 'url' } },
    ]);
  });

  test('has calls and results, also of legacy functions and clients without ids', () => {
    const request = requestOf({
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', tool_calls: [{ function: { name: 'g', arguments: { a: 1 } } }] },
        { role: 'tool', content: '2' },
      ],
    });
    const [call, result, second, answer] = request.messages.map((message) => message.parts[0]);
    expect(call).toMatchObject({ type: 'tool-call', name: 'f', arguments: '{}' });
    expect(second).toMatchObject({ name: 'g', arguments: '{"a":1}' });
    expect((result as any).id).toBe((call as any).id);
    expect(answer).toMatchObject({ type: 'tool-result', id: (second as any).id, name: 'g' });
  });

  test('has state from reasoning_details and extra_content', () => {
    const state = { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'c' } as const;
    const token = wrapState(state);
    const google = { family: 'google', data: 'ts', provider: 'google', channel: 'g' } as const;
    const parts = partsOf({
      role: 'assistant',
      content: 'x',
      reasoning_content: 'think',
      reasoning_details: [
        { type: 'reasoning.text', text: 'think', signature: token },
        { type: 'reasoning.summary', summary: 'short', id: 'a' },
        { type: 'reasoning.encrypted', data: token, id: 'a' },
        { type: 'reasoning.encrypted', data: token, id: 'b' },
        { type: 'reasoning.text', text: 'own', signature: 'native' },
      ],
      tool_calls: [
        {
          id: 'c',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: { thought_signature: wrapState(google) } },
        },
      ],
    });
    expect(parts?.every((part) => !('redacted' in part))).toBe(true);
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'think', state },
      { type: 'reasoning', text: 'short', summary: true, state },
      { type: 'reasoning', text: '', state },
      { type: 'reasoning', text: 'own', state: { family: 'openai-chat', provider: null } },
      { type: 'text', text: 'x' },
      { type: 'tool-call', state: google },
    ]);
  });

  test.each([
    [{ reasoning_effort: 'high' }, { effort: 'high' }],
    [{ reasoning: { max_tokens: 2_000, exclude: true } }, { budgetTokens: 2_000, summary: 'none' }],
    [{ thinking: { type: 'disabled' } }, { enabled: false }],
    [{ thinking: { type: 'enabled', budget_tokens: 5 } }, { enabled: true, budgetTokens: 5 }],
    [
      { enable_thinking: true, thinking_budget: 7 },
      { enabled: true, budgetTokens: 7 },
    ],
    [{ chat_template_kwargs: { enable_thinking: false } }, { enabled: false }],
  ])('has reasoning from %j, and back', (body, expected) => {
    expect(requestOf(body).reasoning).toMatchObject(expected);
    expect(encoded(requestOf(body)).body).toMatchObject(body);
  });

  test.each([
    ['auto', { mode: 'auto' }],
    ['any', { mode: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { mode: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'f' } },
      { mode: 'tool', name: 'f', custom: true },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { mode: 'allowed', names: ['f'], required: true },
    ],
  ])('has tool_choice %j', (tool_choice, expected) => {
    expect(requestOf({ tool_choice }).toolChoice).toEqual(expected as never);
  });

  test('keeps unmapped members for the same format at every depth, and reports them for others', () => {
    const body = {
      store: true,
      invented: { a: 1 },
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, odd: 1 } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', odd: 2 },
            { type: 'image_url', image_url: { url: 'u', odd: 3 } },
          ],
        },
        { role: 'assistant', content: 'b', prefix: true },
      ],
    };
    const request = requestOf(body);
    expect(encoded(request, [], true)).toEqual({ body: { ...body, model: 'up-1' }, losses: [] });
    expect(encoded({ ...request, format: 'gemini' }, [], true).losses.sort()).toEqual([
      'invented dropped',
      'messages[0].content[0].odd dropped',
      'messages[0].content[1].image_url.odd dropped',
      'messages[1].prefix dropped',
      'store dropped',
      'stream_options.include_obfuscation dropped',
      'tools[0].function.odd dropped',
    ]);
  });
});
