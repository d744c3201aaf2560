import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest, type ReasoningOptions } from '../../../domain/exchange/request.ts';
import { wrapState } from '../shared/state-token.ts';
import { needsBytes } from './media.ts';
import { decoded, encoded, target } from './testing/support.ts';

/* Requests of other formats, as they are sent to Gemini. */

function request(more: Partial<ExchangeRequest>, format = 'openai-chat'): ExchangeRequest {
  return { ...emptyRequest(format, { 'reasoning-effort': 'reasoning_effort', stop: 'stop', seed: 'seed' }), ...more };
}

function says(role: Message['role'], ...parts: Part[]): Message {
  return { role, parts, path: 'messages[0]' };
}

const hi = says('user', { type: 'text', text: 'Hi' });
const google: OpaqueState = { family: 'google', data: 'R29vZ2xl', provider: 'google', channel: 'google-main' };
const anthropic: OpaqueState = { family: 'anthropic', data: 'Q2xhdWRl', provider: 'anthropic', channel: 'a' };
const call = (id: string, more: Partial<Part & { type: 'tool-call' }> = {}): Part => ({
  type: 'tool-call',
  id,
  name: 'add',
  arguments: '{"x":1}',
  ...more,
});
const result = (id: string, ...content: Extract<Part, { type: 'tool-result' }>['content']): Message =>
  says('tool', { type: 'tool-result', id, content });

describe('the conversation', () => {
  test('has parallel calls and their results in one turn each, and results name their function', () => {
    const { body, losses } = encoded(
      request({
        messages: [
          says('system', { type: 'text', text: 'S' }),
          hi,
          says('assistant', call('call_1')),
          says('assistant', call('call_2', { name: 'now', arguments: '' })),
          result('call_1', { type: 'text', text: '2' }),
          result('call_2', { type: 'text', text: 'noon' }),
          hi,
        ],
      }),
    );
    expect(losses).toEqual([]);
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'call_1', name: 'add', args: { x: 1 } } },
            { functionCall: { id: 'call_2', name: 'now', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call_1', name: 'add', response: { output: '2' } } },
            { functionResponse: { id: 'call_2', name: 'now', response: { output: 'noon' } } },
          ],
        },
        { role: 'user', parts: [{ text: 'Hi' }] },
      ],
    });
  });

  test('omits generated ids, and all ids if the provider refuses them', () => {
    const messages = [hi, says('assistant', call('gemini_call_x_0_0')), result('gemini_call_x_0_0')];
    expect(JSON.stringify(encoded(request({ messages })).body)).not.toContain('gemini_call');
    const vertex = target('gemini-2.5-pro', [{ kind: 'omit', field: 'functionCall.id', why: 'Vertex refuses ids' }]);
    const { body } = encoded(request({ messages: [hi, says('assistant', call('call_1')), result('call_1')] }), vertex);
    expect(JSON.stringify(body)).not.toContain('call_1');
  });

  test('has a lone or later system prompt as a user turn, and reports both', () => {
    const system = { ...says('system', { type: 'text', text: 'S' }), path: 'messages[1]' } as const;
    const alone = encoded(request({ messages: [system] }));
    expect(alone.body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'S' }] }] });
    expect(alone.losses).toMatchObject([{ field: 'messages[1]', verdict: 'approximated' }]);
    const later = encoded(request({ messages: [hi, system] }));
    expect(later.body.contents[1]).toEqual({ role: 'user', parts: [{ text: 'S' }] });
    expect(later.losses).toMatchObject([{ field: 'messages[1]', verdict: 'approximated' }]);
  });

  test('has images inside results for Gemini 3, and beside them for earlier models', () => {
    const image: Part = { type: 'image', source: { kind: 'base64', data: 'iVBORw0KGgoA' }, mediaType: null, path: 'p' };
    const messages = [hi, says('assistant', call('c')), result('c', { type: 'text', text: 'see' }, image)];
    const inline = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoA' } };
    const three = encoded(request({ messages }), target('gemini-3-flash-preview'));
    expect(three.body.contents[2].parts).toMatchObject([
      { functionResponse: { response: { output: 'see' }, parts: [inline] } },
    ]);
    const two = encoded(request({ messages }), target('gemini-2.5-flash'));
    expect(two.body.contents[2].parts).toMatchObject([{ functionResponse: {} }, inline]);
    expect(two.losses).toMatchObject([{ field: 'p', verdict: 'approximated' }]);
  });

  test('marks a failed tool, and wraps broken arguments in an object', () => {
    const failed = says('tool', {
      type: 'tool-result',
      id: 'c',
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    });
    const { body, losses } = encoded(
      request({ messages: [hi, says('assistant', call('c', { arguments: '{"x":' })), failed] }),
    );
    expect(body.contents[1].parts[0].functionCall.args).toEqual({ arguments: '{"x":' });
    expect(body.contents[2].parts[0].functionResponse.response).toEqual({ error: 'no' });
    expect(losses).toHaveLength(1);
  });
});

describe('state', () => {
  test('is sent back with its part byte for byte, also from a carrier block before it', () => {
    const carrier: Part = { type: 'reasoning', text: '', redacted: true, state: google };
    const { body } = encoded(
      request({
        messages: [
          hi,
          says('assistant', { type: 'text', text: 'A' }, carrier, call('c1'), call('c2', { state: google })),
        ],
      }),
    );
    expect(body.contents[1].parts).toMatchObject([
      { text: 'A' },
      { functionCall: { id: 'c1' }, thoughtSignature: google.data },
      { functionCall: { id: 'c2' }, thoughtSignature: google.data },
    ]);
    expect(body.contents[1].parts[0].thoughtSignature).toBeUndefined();
    const after = encoded(request({ messages: [hi, says('assistant', { type: 'text', text: 'A' }, carrier)] }));
    expect(after.body.contents[1].parts).toEqual([{ text: 'A', thoughtSignature: google.data }]);
  });

  test('of another family is dropped and reported', () => {
    const thought: Part = { type: 'reasoning', text: 'T', state: anthropic, path: 'messages[1].content[0]' };
    const { body, losses } = encoded(
      request({ messages: [hi, says('assistant', thought, { type: 'text', text: 'A' })] }),
    );
    expect(JSON.stringify(body)).not.toContain(anthropic.data);
    expect(body.contents[1].parts).toEqual([{ text: 'A' }]);
    expect(losses).toMatchObject([{ field: 'messages[1].content[0]', verdict: 'dropped' }]);
  });

  test('is the documented placeholder for foreign calls, for Gemini 3 only', () => {
    const messages = [hi, says('assistant', call('c1'), call('c2')), result('c1'), result('c2')];
    const signatures = (model: string) =>
      encoded(request({ messages }), target(model)).body.contents[1].parts.map(
        (part: { thoughtSignature?: string }) => part.thoughtSignature,
      );
    expect(signatures('gemini-3-pro-preview')).toEqual(['skip_thought_signature_validator', undefined]);
    expect(signatures('gemini-2.5-pro')).toEqual([undefined, undefined]);
  });
});

test("a history with another family's state can be continued with Gemini 3", () => {
  const thoughtSignature = wrapState(anthropic);
  const { body, losses } = encoded(
    decoded({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'T', thought: true, thoughtSignature }] },
        { role: 'model', parts: [{ functionCall: { id: 'toolu_1', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'toolu_1', name: 'f', response: {} } }] },
      ],
    }),
    target('gemini-3-flash-preview'),
  );
  expect(body.contents).toHaveLength(3);
  expect(body.contents[1].parts[0].thoughtSignature).toBe('skip_thought_signature_validator');
  expect(losses).toMatchObject([{ field: 'contents[1].parts[0]', verdict: 'dropped' }]);
});

describe('settings', () => {
  const reasoning = (more: Partial<ReasoningOptions>): ReasoningOptions => ({
    enabled: null,
    effort: null,
    budgetTokens: null,
    adaptive: false,
    summary: null,
    ...more,
  });

  test.each([
    ['gemini-3-flash-preview', { effort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }, 0],
    ['gemini-3-flash-preview', { effort: 'none' }, { thinkingLevel: 'MINIMAL' }, 1],
    ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'HIGH', includeThoughts: true }, 1],
    ['gemini-3.1-pro-preview', { effort: 'medium' }, { thinkingLevel: 'MEDIUM', includeThoughts: true }, 0],
    ['gemini-3-flash-preview', { effort: 'max' }, { thinkingLevel: 'HIGH', includeThoughts: true }, 1],
    ['gemini-3-flash-preview', { budgetTokens: 2_000 }, { thinkingLevel: 'LOW', includeThoughts: true }, 1],
    ['gemini-2.5-flash', { budgetTokens: 2_000 }, { thinkingBudget: 2_000, includeThoughts: true }, 0],
    ['gemini-2.5-flash', { effort: 'low', summary: 'none' }, { thinkingBudget: 1_024 }, 1],
    ['gemini-2.5-flash', { enabled: false }, { thinkingBudget: 0 }, 0],
    ['gemini-2.5-pro', { enabled: false }, { thinkingBudget: 128 }, 1],
    ['gemini-2.5-pro', { budgetTokens: 60_000 }, { thinkingBudget: 32_768, includeThoughts: true }, 1],
    ['gemini-2.5-flash', { adaptive: true }, { thinkingBudget: -1, includeThoughts: true }, 0],
    ['gemini-2.0-flash', { effort: 'high' }, undefined, 1],
    ['gemini-2.0-flash', { effort: 'none' }, undefined, 0],
  ] as const)('for %s map reasoning %j', (model, options, thinkingConfig, losses) => {
    const result = encoded(request({ messages: [hi], reasoning: reasoning(options) }), target(model));
    expect(result.body.generationConfig?.thinkingConfig).toEqual(thinkingConfig as never);
    expect(result.losses).toHaveLength(losses);
  });

  test('send schemas as JSON Schema', () => {
    const parameters = {
      type: 'object',
      properties: { $ref: { type: 'string', pattern: 'x' } },
      additionalProperties: false,
    };
    const tools = [
      { type: 'function', name: 'f', description: null, parameters, strict: true, path: 'tools[0]' },
    ] as const;
    const plain = encoded(request({ messages: [hi], tools }));
    expect(plain.body.tools).toEqual([
      { functionDeclarations: [{ name: 'f', description: '', parametersJsonSchema: parameters }] },
    ]);
    expect(plain.losses).toMatchObject([{ field: 'tools[0].strict', verdict: 'dropped' }]);
  });

  test('report what is unsupported: knobs are dropped, meaning is refused', () => {
    const { body, losses } = encoded(
      request({
        messages: [hi],
        stop: ['1', '2', '3', '4', '5', '6'],
        seed: 2 ** 40,
        user: 'u',
        logitBias: { '1': 2 },
        parallelToolCalls: false,
        tools: [{ type: 'custom', name: 'sql', description: null, format: null, path: 'tools[0]' }],
        rest: [{ path: 'audio', value: {}, verdict: 'refused', why: 'voices' }],
      }),
    );
    expect(body.generationConfig.seed).toBeUndefined();
    expect(Object.fromEntries(losses.map(({ field, verdict }) => [field, verdict]))).toEqual({
      stop: 'refused',
      seed: 'dropped',
      user: 'dropped',
      'logit-bias': 'dropped',
      'parallel-tool-calls': 'dropped',
      'tools[0]': 'approximated',
      audio: 'refused',
    });
  });

  test('report unsupported names and summary kinds', () => {
    const schema = { type: 'object', properties: {} };
    const { losses } = encoded(
      request({
        messages: [{ ...says('developer', { type: 'text', text: 'Be brief.' }), name: 'boss' }, hi],
        responseFormat: { type: 'json-schema', schema, name: 'n', description: 'd', strict: true },
        reasoning: { enabled: null, effort: 'low', budgetTokens: null, adaptive: false, summary: 'detailed' },
      }),
    );
    const fields = losses.map(({ field, verdict }) => `${field}: ${verdict}`);
    expect(fields).toContain('messages[0].name: dropped');
    expect(fields).toContain('json-schema.name: dropped');
    expect(fields).toContain('json-schema.description: dropped');
    expect(fields).toContain('reasoning-summary: approximated');
  });

  test('include the response format, tool choice and candidate count', () => {
    const tools = [{ type: 'function', name: 'f', description: 'F', parameters: null, strict: null }] as const;
    const schema = { type: 'object' };
    const { body } = encoded(
      request({
        messages: [hi],
        tools,
        toolChoice: { mode: 'allowed', names: ['f'], required: false },
        candidateCount: 2,
        logprobs: { top: 3 },
        responseFormat: { type: 'json-schema', schema, name: 'n', description: null, strict: true },
        modalities: ['text', 'image'],
      }),
      target('gemini-3-flash-preview'),
    );
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] } });
    expect(body.generationConfig).toEqual({
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ['TEXT', 'IMAGE'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  });
});

describe('combinations that models before Gemini 3 refuse', () => {
  const tools = [{ type: 'function', name: 'f', description: 'F', parameters: null, strict: null }] as const;
  const none = { allowedDomains: null, blockedDomains: null, maxUses: null, userLocation: null, contextSize: null };
  const raw = { format: 'openai-responses', value: {} };
  const search = { type: 'web-search', ...none, raw, path: 'tools[1]' } as const;
  const schema = { type: 'object' };
  const responseFormat = { type: 'json-schema', schema, name: null, description: null, strict: null } as const;

  test('have the schema in the prompt beside functions', () => {
    const { body, losses } = encoded(request({ messages: [hi], tools, responseFormat }));
    expect(body.generationConfig).toBeUndefined();
    expect(body.systemInstruction.parts[0].text).toContain('{"type":"object"}');
    expect(losses).toMatchObject([{ verdict: 'approximated' }]);
  });

  test('refuse a search beside functions, which later models support', () => {
    const asked = request({ messages: [hi], tools: [...tools, search] });
    expect(encoded(asked).losses).toMatchObject([{ field: 'tools[1]', verdict: 'refused' }]);
    const later = encoded(asked, target('gemini-3-flash-preview'));
    expect(later.losses).toEqual([]);
    expect(later.body.toolConfig).toEqual({ includeServerSideToolInvocations: true });
  });

  test('the output limit is capped at that of the model', () => {
    const { body, losses } = encoded(request({ messages: [hi], maxOutputTokens: 128_000 }));
    expect(body.generationConfig.maxOutputTokens).toBe(65_535);
    expect(losses).toMatchObject([{ verdict: 'approximated' }]);
  });
});

describe('media need fetching', () => {
  const image = (url: string, mediaType: string | null = null) =>
    ({ type: 'image', source: { kind: 'url', url }, mediaType }) as const;

  test.each([
    ['https://a.example/cat.png', null, false],
    ['https://a.example/cat.png?size=2', null, false],
    ['https://a.example/cat', null, true],
    ['https://a.example/cat', 'image/webp', false],
    ['http://a.example/cat.png', null, true],
    ['https://www.youtube.com/watch?v=x', null, false],
    ['gs://bucket/cat', null, false],
  ])('%p of type %p: %p', (url, mediaType, expected) => {
    expect(needsBytes(image(url, mediaType), [])).toBe(expected);
  });

  test('for a model without URLs', () => {
    const quirk = { kind: 'lacks', feature: 'image-url', verdict: 'refused', why: 'Gemini 2.0' } as const;
    expect(needsBytes(image('https://a.example/cat.png'), [quirk])).toBe(true);
  });
});
