import { describe, expect, test } from 'bun:test';
import type { Message } from '../../../domain/exchange/part.ts';
import type { Quirk, QuirkRule } from '../../quirk.ts';
import { openaiChat } from './index.ts';
import { encoded, foreignRequest, requestOf } from './testing/exchange.ts';

const quirk = (rule: QuirkRule): Quirk => ({ ...rule, why: 'so it is' });
const REASONING = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };
const thought = (state?: object) => ({ type: 'reasoning', text: 'hm', path: 'p', ...(state ? { state } : {}) });
const ask = (...messages: unknown[]) => foreignRequest({ messages: messages as Message[] });

describe('messages', () => {
  test('text alone is a string; several blocks are an array', () => {
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

  test('all results come first, then the images in them with what the user says', () => {
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

  test('a mark on a result stands on its last block where blocks take marks, and is named elsewhere', () => {
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

  test('thoughts go back to their provider only', () => {
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

  test('an id that the provider refuses becomes another one, the same for call and result', () => {
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

  test('a system prompt in mid-conversation, and roles that a provider lacks', () => {
    const system = { role: 'system', parts: [{ type: 'text', text: 's' }], path: 'm' };
    const messages = [{ ...system, role: 'developer' }, { role: 'user', parts: [{ type: 'text', text: 'u' }] }, system];
    const { body } = encoded(ask(...messages), [
      quirk({ kind: 'role', from: 'developer', to: 'system' }),
      quirk({ kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated' }),
    ]);
    expect(body.messages.map(({ role }: any) => role)).toEqual(['system', 'user', 'user']);
  });
});

describe('orders of messages that a provider refuses', () => {
  const said = (role: string, text: string) => ({ role, parts: [{ type: 'text', text }], path: role });
  const call = { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{}' }] };
  const result = { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content: [{ type: 'text', text: '1' }] }] };
  const rolesOf = (body: any) => body.messages.map(({ role }: any) => role);
  const SYSTEM_FIRST = quirk({ kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated' });

  test('a template that takes one system message gets one', () => {
    const { body, losses } = encoded(
      ask(said('system', 'a'), said('developer', 'b'), said('user', 'u'), said('assistant', 'x'), said('system', 'c')),
      [SYSTEM_FIRST, quirk({ kind: 'role', from: 'developer', to: 'system' })],
    );
    expect(rolesOf(body)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(body.messages[0].content).toBe('a\n\nb');
    expect(body.messages[3].content).toBe('c');
    expect(losses).toEqual(['system approximated']);
  });

  test('a system message between calls and their results follows the results', () => {
    const messages = [said('user', 'u'), call, said('system', 's'), result];
    const { body, losses } = encoded(ask(...messages), [SYSTEM_FIRST]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[3].content).toBe('s');
    expect(losses).toEqual(['messages approximated', 'system approximated']);
  });

  test("a chat client's own system message between calls and their results joins what the user says next", () => {
    const messages = [said('user', 'u'), call, said('system', 's'), result, said('user', 'next')];
    const { body } = encoded({ ...ask(...messages), format: 'openai-chat' }, [SYSTEM_FIRST]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[3].content.map(({ text }: any) => text)).toEqual(['s', 'next']);
  });

  test('each result stands behind its call, and a call without a result is told to have none', () => {
    const { body, losses } = encoded(ask(said('user', 'u'), result, call, said('user', 'v'), call), []);
    expect(rolesOf(body)).toEqual(['user', 'user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
    expect(body.messages[1].content).toBe('1');
    expect(body.messages[3]).toEqual({ role: 'tool', tool_call_id: 'a', content: 'There is no result of this call.' });
    expect(losses.every((loss) => loss === 'messages approximated')).toBe(true);
  });

  test('messages of one side in succession become one, but for results and calls', () => {
    const alternating = quirk({ kind: 'message-order', rule: 'alternating' });
    const messages = [said('user', 'a'), said('user', 'b'), call, result, said('user', 'c'), said('system', 'd')];
    const { body } = encoded(ask(...messages), [SYSTEM_FIRST, alternating]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body.messages[0].content).toBe('a\n\nb');
    expect(body.messages[3].content).toBe('c\n\nd');
  });

  test('an answer stands between the result of a call and what the user says next, and it is named', () => {
    const answered = quirk({ kind: 'message-order', rule: 'answered-results' });
    const { body, losses } = encoded(ask(said('user', 'a'), call, result, said('user', 'b')), [answered]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(losses).toEqual(['messages approximated']);
  });

  test('the beginning of an answer says that it is one', () => {
    const prefill = quirk({ kind: 'prefill', member: 'prefix' });
    const { body } = encoded(ask(said('user', 'a'), said('assistant', '{')), [prefill]);
    expect(body.messages.at(-1)).toEqual({ role: 'assistant', content: '{', prefix: true });
    expect(encoded(ask(said('user', 'a'), call), [prefill]).body.messages.at(-1).prefix).toBeUndefined();
  });

  test('reasoning that must come back is empty where there is none', () => {
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

test('what a document says about itself is named where its bytes make it an image, and the other way round', () => {
  const source = { kind: 'base64', data: 'AA' } as const;
  const image = { type: 'image', source, mediaType: 'image/png', fileName: 'a.pdf', path: 'i' };
  const document = { type: 'document', source, mediaType: 'application/pdf', fileName: 'a.pdf', path: 'd' };
  const ofUser = (part: object) => ask({ role: 'user', parts: [part] });
  expect(encoded(ofUser(image), []).losses).toEqual(['i approximated']);
  expect(encoded(ofUser({ ...document, detail: 'high' }), []).losses).toEqual(['d.detail dropped']);
  expect(encoded(ofUser({ ...document, detail: 'auto' }), []).losses).toEqual([]);
});

test('a function without parameters has an empty schema, which is closed where the function is strict', () => {
  const tool = (strict: boolean) =>
    ({ type: 'function', name: 'f', description: null, parameters: null, strict }) as const;
  const { body } = encoded(foreignRequest({ tools: [tool(true), tool(false)] }), []);
  expect(body.tools.map(({ function: { parameters } }: any) => parameters)).toEqual([
    { type: 'object', properties: {}, required: [], additionalProperties: false },
    { type: 'object', properties: {} },
  ]);
});

describe('a forced tool call where a model that thinks takes none', () => {
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
  ] as const)('by %s', (style, said, expected) => {
    const { body, losses } = encoded(forced(said), [unforced, quirk({ kind: 'thinking-switch', style })]);
    const { thinking, enable_thinking, thinking_budget, reasoning_effort, tool_choice } = body;
    const found = { thinking, enable_thinking, thinking_budget, reasoning_effort, tool_choice };
    expect(JSON.parse(JSON.stringify(found))).toEqual(expected);
    expect(losses).toEqual([expect.stringMatching(/approximated$/)]);
  });

  test('a model that does not think is forced', () => {
    const { body, losses } = encoded(forced({ enabled: false }), [
      unforced,
      quirk({ kind: 'thinking-switch', style: 'thinking-type' }),
    ]);
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: 'required' });
    expect(losses).toEqual([]);
  });
});

describe('quirks', () => {
  test('rename, omit and set', () => {
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
  ] as const)('%j by %s', (said, style, expected) => {
    const request = foreignRequest({ reasoning: { ...REASONING, ...said } });
    const shows = quirk({ kind: 'has', feature: 'reasoning-summary' });
    expect(encoded(request, [quirk({ kind: 'thinking-switch', style }), shows]).body).toMatchObject(expected);
  });

  test('efforts go to the nearest one, a budget to an effort, and both are named', () => {
    const request = foreignRequest({ reasoning: { ...REASONING, budgetTokens: 50_000 } });
    const { body, losses } = encoded(request, [quirk({ kind: 'efforts', values: ['low', 'high'] })]);
    expect(body.reasoning_effort).toBe('high');
    expect(losses).toEqual(['reasoning-budget approximated', 'reasoning_effort approximated']);
  });

  test('a schema becomes JSON mode and words, a choice becomes fewer tools, where there is no more', () => {
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

  test('what is fetched before it is sent', () => {
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

test('what the format cannot carry is refused or dropped by name', () => {
  const video = { type: 'video', source: { kind: 'url', url: 'https://x' }, mediaType: null, path: 'v' };
  const { losses } = encoded({ ...ask({ role: 'user', parts: [video] }), topK: 3, names: { 'top-k': 'cfg.topK' } });
  expect(losses.sort()).toEqual(['cfg.topK dropped', 'v refused']);
});

describe('a provider that refuses members which it does not know', () => {
  const closed = quirk({
    kind: 'closed',
    members: ['model', 'messages', 'temperature'],
    messages: { user: ['role', 'content'], assistant: ['role', 'content'] },
  });

  test('they are left out, and those that say something are named', () => {
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

  test('one that changes what the answer is refuses the request', () => {
    const { losses } = encoded(
      requestOf({ messages: [{ role: 'user', content: 'a' }], guided_json: { type: 'object' } }),
      [closed],
    );
    expect(losses).toEqual(['guided_json refused']);
  });
});
