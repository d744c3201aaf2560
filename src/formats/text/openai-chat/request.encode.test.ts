import { describe, expect, test } from 'bun:test';
import type { Message } from '../../../domain/exchange/part.ts';
import type { Quirk, QuirkRule } from '../quirk.ts';
import { openaiChat } from './index.ts';
import { encoded, foreignRequest, requestOf } from './testing/exchange.ts';

const quirk = (rule: QuirkRule): Quirk => ({ ...rule, why: 'so it is' });
const REASONING = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };
const thought = (state?: object) => ({ type: 'reasoning', text: 'hm', path: 'p', ...(state ? { state } : {}) });
const ask = (...messages: unknown[]) => foreignRequest({ messages: messages as Message[] });

describe('messages', () => {
  test('have text only as a string, and several blocks as an array', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image', source: { kind: 'base64', data: 'AA' }, mediaType: 'image/png' },
    ];
    const { body } = encoded(ask({ role: 'user', parts: [parts[0]] }, { role: 'user', parts }));
    expect(body.messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: [parts[0], { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
    ]);
  });

  test("have all results first, then their images with the user's text", () => {
    const image = { type: 'image', source: { kind: 'url', url: 'https://x' }, mediaType: null, path: 'r' };
    const result = (id: string, ...content: unknown[]) => ({
      role: 'tool',
      parts: [{ type: 'tool-result', id, content }],
    });
    const { body, losses } = encoded(
      ask(
        { role: 'assistant', parts: ['a', 'b'].map((id) => ({ type: 'tool-call', id, name: 'f', arguments: '' })) },
        result('a', { type: 'text', text: 'see' }, image),
        result('b', { type: 'text', text: '2' }),
        { role: 'user', parts: [{ type: 'text', text: 'and?' }] },
      ),
    );
    expect(body.messages.map(({ role }: any) => role)).toEqual(['assistant', 'tool', 'tool', 'user']);
    expect(body.messages[0].tool_calls[0].function.arguments).toBe('{}');
    expect(body.messages[3].content.map(({ type }: any) => type)).toEqual(['text', 'image_url', 'text']);
    expect(losses).toEqual(['r approximated']);
  });

  test('have a cache mark of a result on its last block if blocks support it, else reported', () => {
    const cache = { ttl: '5m' };
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    const request = ask(
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{}', path: 'messages[1].content[0]', cache }],
      },
      { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content, path: 'messages[2].content[0]', cache }] },
    );
    const call = 'messages[1].content[0].cache_control dropped';
    expect(encoded(request).losses).toEqual([call, 'messages[2].content[0].cache_control dropped']);
    const { body, losses } = encoded(request, [quirk({ kind: 'has', feature: 'cache-marks' })]);
    expect(body.messages[1].content).toEqual([content[0], { ...content[1], cache_control: { type: 'ephemeral' } }]);
    expect(losses).toEqual([call]);
  });

  test('return reasoning to its provider only', () => {
    const mine = { family: 'openai-chat', data: '', provider: 'acme', channel: 'acme-2' };
    const details = { ...mine, data: '[{"type":"reasoning.encrypted","data":"x"}]' };
    const text = { type: 'text', text: 'a' };
    const send = (state: object | undefined, ...quirks: Quirk[]) =>
      encoded(ask({ role: 'assistant', parts: [thought(state), text] }), quirks);
    expect(send(mine).body.messages[0]).toEqual({ role: 'assistant', reasoning_content: 'hm', content: 'a' });
    expect(send(details).body.messages[0].reasoning_details).toEqual([{ type: 'reasoning.encrypted', data: 'x' }]);
    expect(send(mine, quirk({ kind: 'reasoning-input', field: 'reasoning' })).body.messages[0].reasoning).toBe('hm');
    expect(send(mine, quirk({ kind: 'reasoning-input', field: 'thinking_blocks' })).body.messages[0].content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      text,
    ]);
    for (const [state, ...quirks] of [
      [{ ...mine, provider: 'other' }],
      [{ family: 'anthropic', data: 's', provider: 'acme', channel: 'acme-1' }],
      [undefined],
      [mine, quirk({ kind: 'reasoning-input', field: 'none' })],
    ] as [object | undefined, ...Quirk[]][]) {
      const { body, losses } = send(state, ...quirks);
      expect(body.messages[0]).toEqual({ role: 'assistant', content: 'a' });
      expect(losses).toEqual(['p dropped']);
    }
  });

  test('have an id that the provider refuses replaced, alike for call and result', () => {
    const { body } = encoded(
      ask(
        { role: 'assistant', parts: [{ type: 'tool-call', id: 'toolu_0123456789', name: 'f', arguments: '{}' }] },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'toolu_0123456789', content: [] }] },
      ),
      [quirk({ kind: 'tool-call-ids', pattern: /^[a-zA-Z0-9]{9}$/, length: 9 })],
    );
    expect(body.messages[0].tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(body.messages[1].tool_call_id).toBe(body.messages[0].tool_calls[0].id);
  });

  test('have later system prompts and unsupported roles converted', () => {
    const system = { role: 'system', parts: [{ type: 'text', text: 's' }], path: 'm' };
    const messages = [{ ...system, role: 'developer' }, { role: 'user', parts: [{ type: 'text', text: 'u' }] }, system];
    const { body } = encoded(ask(...messages), [
      quirk({ kind: 'role', from: 'developer', to: 'system' }),
      quirk({ kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated' }),
    ]);
    expect(body.messages.map(({ role }: any) => role)).toEqual(['system', 'user', 'user']);
  });
});

describe('a message order that a provider refuses', () => {
  const said = (role: string, text: string) => ({ role, parts: [{ type: 'text', text }], path: role });
  const call = { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{}' }] };
  const result = { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content: [{ type: 'text', text: '1' }] }] };
  const rolesOf = (body: any) => body.messages.map(({ role }: any) => role);
  const SYSTEM_FIRST = quirk({ kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated' });

  test('is merged into one system message for a template that requires it', () => {
    const { body, losses } = encoded(
      ask(said('system', 'a'), said('developer', 'b'), said('user', 'u'), said('assistant', 'x'), said('system', 'c')),
      [SYSTEM_FIRST, quirk({ kind: 'role', from: 'developer', to: 'system' })],
    );
    expect(rolesOf(body)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(body.messages[0].content).toBe('a\n\nb');
    expect(body.messages[3].content).toBe('c');
    expect(losses).toEqual(['system approximated']);
  });

  test('has a system message between calls and results moved after the results', () => {
    const messages = [said('user', 'u'), call, said('system', 's'), result];
    const { body, losses } = encoded(ask(...messages), [SYSTEM_FIRST]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[3].content).toBe('s');
    expect(losses).toEqual(['messages approximated', 'system approximated']);
  });

  test("has a chat client's system message between calls and results merged into the next user message", () => {
    const messages = [said('user', 'u'), call, said('system', 's'), result, said('user', 'next')];
    const { body } = encoded({ ...ask(...messages), format: 'openai-chat' }, [SYSTEM_FIRST]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[3].content.map(({ text }: any) => text)).toEqual(['s', 'next']);
  });

  test('has each result after its call, and a placeholder for a missing result', () => {
    const { body, losses } = encoded(ask(said('user', 'u'), result, call, said('user', 'v'), call), []);
    expect(rolesOf(body)).toEqual(['user', 'user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
    expect(body.messages[1].content).toBe('1');
    expect(body.messages[3]).toEqual({ role: 'tool', tool_call_id: 'a', content: 'This call has no result.' });
    expect(losses.every((loss) => loss === 'messages approximated')).toBe(true);
  });

  test('has consecutive messages of one side merged, except for results and calls', () => {
    const alternating = quirk({ kind: 'message-order', rule: 'alternating' });
    const messages = [said('user', 'a'), said('user', 'b'), call, result, said('user', 'c'), said('system', 'd')];
    const { body } = encoded(ask(...messages), [SYSTEM_FIRST, alternating]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[0].content).toBe('a\n\nb');
    expect(body.messages[3].content).toBe('c\n\nd');
  });

  test('has an answer inserted between a result and the next user message, and reported', () => {
    const answered = quirk({ kind: 'message-order', rule: 'answered-results' });
    const { body, losses } = encoded(ask(said('user', 'a'), call, result, said('user', 'b')), [answered]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(losses).toEqual(['messages approximated']);
  });

  test('marks the beginning of an answer as a prefix', () => {
    const prefill = quirk({ kind: 'prefill', member: 'prefix' });
    const { body } = encoded(ask(said('user', 'a'), said('assistant', '{')), [prefill]);
    expect(body.messages.at(-1)).toEqual({ role: 'assistant', content: '{', prefix: true });
    expect(encoded(ask(said('user', 'a'), call), [prefill]).body.messages.at(-1).prefix).toBeUndefined();
  });

  test('has required reasoning empty if there is none', () => {
    const required = quirk({ kind: 'reasoning-input', field: 'reasoning_content', isRequired: true });
    const foreign = {
      type: 'reasoning',
      text: 'hm',
      state: { family: 'anthropic', data: 's', provider: 'a', channel: 'b' },
    };
    const { body } = encoded(ask({ ...call, parts: [foreign, ...call.parts] }, result, said('assistant', 'b')), [
      required,
    ]);
    expect(body.messages[0].reasoning_content).toBe('');
    expect(body.messages[2]).toEqual({ role: 'assistant', content: 'b', reasoning_content: '' });
  });
});

test('media properties that do not match the actual type are reported', () => {
  const source = { kind: 'base64', data: 'AA' } as const;
  const image = { type: 'image', source, mediaType: 'image/png', fileName: 'a.pdf', path: 'i' };
  const document = { type: 'document', source, mediaType: 'application/pdf', fileName: 'a.pdf', path: 'd' };
  const ofUser = (part: object) => ask({ role: 'user', parts: [part] });
  expect(encoded(ofUser(image), []).losses).toEqual(['i approximated']);
  expect(encoded(ofUser({ ...document, detail: 'high' }), []).losses).toEqual(['d.detail dropped']);
  expect(encoded(ofUser({ ...document, detail: 'auto' }), []).losses).toEqual([]);
});

test('a function without parameters has an empty schema, closed if the function is strict', () => {
  const tool = (strict: boolean) =>
    ({ type: 'function', name: 'f', description: null, parameters: null, strict }) as const;
  const { body } = encoded(foreignRequest({ tools: [tool(true), tool(false)] }), []);
  expect(body.tools.map(({ function: { parameters } }: any) => parameters)).toEqual([
    { type: 'object', properties: {}, required: [], additionalProperties: false },
    { type: 'object', properties: {} },
  ]);
});

describe('a forced tool call that a reasoning model refuses', () => {
  const unforced = quirk({ kind: 'unforced-while-thinking' });
  const tool = { type: 'function', name: 'f', description: null, parameters: null, strict: null } as const;
  const forced = (reasoning: object = {}) =>
    foreignRequest({
      tools: [tool],
      toolChoice: { mode: 'required' },
      reasoning: { ...REASONING, ...reasoning },
    });

  test.each([
    ['thinking-type', { effort: 'high' }, { thinking: { type: 'disabled' }, tool_choice: 'required' }],
    ['enable-thinking', { effort: 'high' }, { enable_thinking: false, tool_choice: 'required' }],
    ['effort', { effort: 'high' }, { reasoning_effort: 'high', tool_choice: 'auto' }],
  ] as const)('disables reasoning by %s', (style, said, expected) => {
    const { body, losses } = encoded(forced(said), [unforced, quirk({ kind: 'thinking-switch', style })]);
    const { thinking, enable_thinking, thinking_budget, reasoning_effort, tool_choice } = body;
    const found = { thinking, enable_thinking, thinking_budget, reasoning_effort, tool_choice };
    expect(JSON.parse(JSON.stringify(found))).toEqual(expected);
    expect(losses).toEqual([expect.stringMatching(/approximated$/)]);
  });

  test('stays for a model that does not reason', () => {
    const { body, losses } = encoded(forced({ enabled: false }), [
      unforced,
      quirk({ kind: 'thinking-switch', style: 'thinking-type' }),
    ]);
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: 'required' });
    expect(losses).toEqual([]);
  });
});

describe('quirks', () => {
  test('rename, omit and set members', () => {
    const request = foreignRequest({ maxOutputTokens: 3, temperature: 1.7, seed: 4, names: { seed: 'config.seed' } });
    expect(encoded(request).body).toMatchObject({ max_tokens: 3, temperature: 1.7, seed: 4 });
    const { body, losses } = encoded(request, [
      quirk({ kind: 'rename', from: 'max_tokens', to: 'max_completion_tokens' }),
      quirk({ kind: 'omit', field: 'seed' }),
      quirk({ kind: 'set', field: 'safe', value: true }),
    ]);
    expect(body).toMatchObject({ max_completion_tokens: 3, temperature: 1.7, safe: true });
    expect(body.seed ?? body.max_tokens).toBeUndefined();
    expect(losses).toEqual(['config.seed dropped']);
  });

  test.each([
    [{ effort: 'high' }, 'thinking-type', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    [{ enabled: false }, 'thinking-type', { thinking: { type: 'disabled' } }],
    [{ effort: 'medium' }, 'enable-thinking', { enable_thinking: true, thinking_budget: 8_192 }],
    [{ budgetTokens: 0 }, 'enable-thinking', { enable_thinking: false }],
    [{ budgetTokens: 4_000, summary: 'none' }, 'reasoning-object', { reasoning: { max_tokens: 4_000, exclude: true } }],
    [{ enabled: false }, 'template-arguments', { chat_template_kwargs: { enable_thinking: false } }],
  ] as const)('express %j by %s', (said, style, expected) => {
    const request = foreignRequest({ reasoning: { ...REASONING, ...said } });
    const shows = quirk({ kind: 'has', feature: 'reasoning-summary' });
    expect(encoded(request, [quirk({ kind: 'thinking-switch', style }), shows]).body).toMatchObject(expected);
  });

  test('map efforts to the nearest one and a budget to an effort, and both are reported', () => {
    const request = foreignRequest({ reasoning: { ...REASONING, budgetTokens: 50_000 } });
    const { body, losses } = encoded(request, [quirk({ kind: 'efforts', values: ['low', 'high'] })]);
    expect(body.reasoning_effort).toBe('high');
    expect(losses).toEqual(['reasoning-budget approximated', 'reasoning_effort approximated']);
  });

  test('replace an unsupported schema by JSON mode and a prompt, and a tool choice by fewer tools', () => {
    const tool = (name: string) =>
      ({ type: 'function', name, description: null, parameters: null, strict: null }) as const;
    const responseFormat = {
      type: 'json-schema',
      schema: { a: 1 },
      name: null,
      description: null,
      strict: null,
    } as const;
    const request = foreignRequest({
      tools: [tool('f'), tool('g')],
      toolChoice: { mode: 'tool', name: 'g' },
      responseFormat,
    });
    const { body } = encoded(request, [
      quirk({ kind: 'lacks', feature: 'json-schema', verdict: 'approximated' }),
      quirk({ kind: 'lacks', feature: 'tool-choice-named', verdict: 'approximated' }),
    ]);
    expect(body.response_format).toEqual({ type: 'json_object' });
    expect(body.messages[0].content).toContain('{"a":1}');
    expect(body.tools.map((entry: any) => entry.function.name)).toEqual(['g']);
    expect(body.tool_choice).toBe('required');
  });

  test('define which media are fetched first', () => {
    const part = (type: 'image' | 'audio' | 'video' | 'document') =>
      ({ type, source: { kind: 'url', url: 'https://x' }, mediaType: null }) as const;
    expect(
      (['image', 'audio', 'video', 'document'] as const).map((type) => openaiChat.needsBytes(part(type), [])),
    ).toEqual([false, true, false, true]);
    const lacks = quirk({ kind: 'lacks', feature: 'image-url', verdict: 'refused' });
    const has = quirk({ kind: 'has', feature: 'document-url' });
    expect(openaiChat.needsBytes(part('image'), [lacks])).toBe(true);
    expect(openaiChat.needsBytes(part('document'), [has])).toBe(false);
  });
});

test('unsupported content is refused or dropped by name', () => {
  const video = { type: 'video', source: { kind: 'url', url: 'https://x' }, mediaType: null, path: 'v' };
  const { losses } = encoded({ ...ask({ role: 'user', parts: [video] }), topK: 3, names: { 'top-k': 'cfg.topK' } });
  expect(losses.sort()).toEqual(['cfg.topK dropped', 'v refused']);
});

describe('a provider that refuses unknown members', () => {
  const closed = quirk({
    kind: 'closed',
    members: ['model', 'messages', 'temperature'],
    messages: { user: ['role', 'content'], assistant: ['role', 'content'] },
  });

  test('does not get them, and losses are reported', () => {
    const answer = { role: 'assistant', content: 'b', refusal: null, annotations: [], audio: null, odd: 'x' };
    const { body, losses } = encoded(
      requestOf({ messages: [{ role: 'user', content: 'a', tag: 1 }, answer], min_p: 0.1 }),
      [closed],
    );
    expect(body).toEqual({
      model: 'up-1',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    });
    expect(losses).toEqual(['min_p dropped', 'messages[0].tag dropped', 'messages[1].odd dropped']);
  });

  test('has a request refused if a member would change the response', () => {
    const { losses } = encoded(
      requestOf({ messages: [{ role: 'user', content: 'a' }], guided_json: { type: 'object' } }),
      [closed],
    );
    expect(losses).toEqual(['guided_json refused']);
  });
});
