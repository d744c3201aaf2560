import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Message } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest } from '../../../domain/exchange/request.ts';
import { decoded, encoded } from './testing/context.ts';

function from(messages: readonly Message[], more: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return { ...emptyRequest('other', {}), messages, ...more };
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text, path: 'messages[0]' }] });

test('a conversation of another format becomes items', () => {
  const { body, losses } = encoded(
    from([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief' }] },
      user('Weather?'),
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Let me see.' },
          { type: 'text', text: ' Now.' },
          { type: 'tool-call', id: 'call_1', name: 'w', arguments: '' },
          { type: 'tool-call', id: 'call_2', name: 'sh', arguments: 'ls', custom: true },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', id: 'call_1', content: [{ type: 'text', text: 'sunny' }] },
          {
            type: 'tool-result',
            id: 'call_2',
            content: [
              { type: 'text', text: 'see' },
              { type: 'image', source: { kind: 'base64', data: '/9j/AA' }, mediaType: null },
            ],
          },
        ],
      },
    ]),
    { stream: true },
  );
  expect(losses).toEqual([]);
  expect(body).toEqual({
    model: 'up',
    input: [
      { type: 'message', role: 'system', content: 'Be brief' },
      { type: 'message', role: 'user', content: 'Weather?' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Let me see.', annotations: [] },
          { type: 'output_text', text: ' Now.', annotations: [] },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'w', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'sh', input: 'ls' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      {
        type: 'custom_tool_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/AA', detail: 'auto' },
        ],
      },
    ],
    store: false,
    include: ['reasoning.encrypted_content'],
    stream: true,
  });
});

test('every option has its member, and strict is stated even if it was not requested', () => {
  const { body, losses } = encoded(
    from([user('Hi')], {
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: null },
        {
          type: 'web-search',
          allowedDomains: ['a.test'],
          blockedDomains: null,
          maxUses: null,
          userLocation: { city: 'Bern' },
          contextSize: 'low',
          raw: { format: 'other', value: {} },
        },
      ],
      toolChoice: { mode: 'allowed', names: ['f'], required: true },
      parallelToolCalls: false,
      maxOutputTokens: 5,
      temperature: 0,
      topP: 0.5,
      logprobs: { top: 3 },
      responseFormat: { type: 'json-schema', schema: { type: 'object' }, name: null, description: null, strict: true },
      verbosity: 'low',
      reasoning: { enabled: true, effort: null, budgetTokens: 8_000, adaptive: false, summary: 'auto' },
      user: 'u',
      metadata: { a: 'b' },
      serviceTier: 'flex',
      cacheKey: 'k',
    }),
  );
  expect(body).toMatchObject({
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.test'] },
        user_location: { type: 'approximate', city: 'Bern' },
        search_context_size: 'low',
      },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
    parallel_tool_calls: false,
    max_output_tokens: 16,
    temperature: 0,
    top_p: 0.5,
    top_logprobs: 3,
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    text: {
      format: { type: 'json_schema', name: 'response', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    },
    reasoning: { effort: 'medium', summary: 'auto' },
    user: 'u',
    metadata: { a: 'b' },
    service_tier: 'flex',
    prompt_cache_key: 'k',
  });
  expect(losses.map(({ field, verdict }) => [field, verdict])).toEqual([
    ['reasoning-budget', 'approximated'],
    ['max_output_tokens', 'approximated'],
  ]);
});

test('unsupported settings are reported', () => {
  const { losses } = encoded(
    from([{ ...user('Hi'), name: 'ann', path: 'messages[0]' }], {
      stop: ['x'],
      seed: 1,
      topK: 3,
      candidateCount: 2,
      frequencyPenalty: 0,
      presencePenalty: 1,
      logitBias: { 1: 2 },
      modalities: ['text', 'audio'],
      serviceTier: 'standard_only',
    }),
  );
  expect(losses.map(({ field, verdict }) => `${field} ${verdict}`)).toEqual([
    'top-k dropped',
    'presence-penalty dropped',
    'seed dropped',
    'stop refused',
    'candidate-count refused',
    'logit-bias dropped',
    'output-modalities refused',
    'messages[0].name dropped',
    'service_tier dropped',
  ]);
});

const ITEM = '{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}';

test('reasoning is sent back verbatim to the channel that issued it only', () => {
  const state = { family: 'openai-responses', data: ITEM, provider: 'openai', channel: 'c1' } as const;
  const request = from([{ role: 'assistant', parts: [{ type: 'reasoning', text: 'Hm', path: 'm[0]', state }] }]);
  expect(encoded(request).body.input).toEqual([JSON.parse(ITEM)]);
  const elsewhere = encoded(request, { channel: 'c2' });
  expect(elsewhere.body.input).toEqual([]);
  expect(elsewhere.losses.map(({ field, verdict }) => [field, verdict])).toEqual([['m[0]', 'dropped']]);
});

test('reasoning that is only an id is dropped, and so are references to it', () => {
  const { body, losses } = encoded(
    decoded({
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
      ],
    }),
  );
  expect(body.input).toEqual([{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }]);
  expect(losses.map(({ field }) => field)).toEqual(['input[0].id', 'input[1].id']);
});

test('an unsupported input_fidelity is dropped, and background stays', () => {
  const tool = { type: 'image_generation', input_fidelity: 'high', background: 'transparent' };
  const models = [undefined, 'gpt-image-2', 'gpt-image-2-2026-04-21', 'gpt-image-1', 'gpt-image-1.5'];
  const tools = models.map((model) => (model === undefined ? tool : { ...tool, model }));
  const { body, losses } = encoded(decoded({ input: 'Hi', tools }));
  expect(body.tools.map(({ input_fidelity }: { input_fidelity?: string }) => input_fidelity)).toEqual([
    ...[undefined, undefined, undefined, 'high', 'high'],
  ]);
  expect(body.tools.every(({ background }: { background: string }) => background === 'transparent')).toBe(true);
  expect(losses.map(({ field }) => field)).toEqual([0, 1, 2].map((index) => `tools[${index}].input_fidelity`));
});

test('quirks rename, omit, set and map members', () => {
  const request = from([{ role: 'developer', parts: [{ type: 'text', text: 'D' }] }, user('Hi')], {
    maxOutputTokens: 100,
    user: 'u',
    reasoning: { enabled: null, effort: 'xhigh', budgetTokens: null, adaptive: false, summary: null },
  });
  const why = 'because';
  const { body, losses } = encoded(request, {
    quirks: [
      { kind: 'role', from: 'developer', to: 'system', why },
      { kind: 'rename', from: 'max_output_tokens', to: 'max_tokens', why },
      { kind: 'omit', field: 'user', why },
      { kind: 'omit', field: 'include', why },
      { kind: 'set', field: 'top_p', value: 0.9, why },
      { kind: 'efforts', values: ['low', 'high'], why },
    ],
  });
  expect(body).toEqual({
    model: 'up',
    input: [
      { type: 'message', role: 'system', content: 'D' },
      { type: 'message', role: 'user', content: 'Hi' },
    ],
    reasoning: { effort: 'high' },
    max_tokens: 100,
    store: false,
    top_p: 0.9,
  });
  expect(losses.map(({ field }) => field)).toEqual(['reasoning', 'user']);
});

test('a long call id is shortened the same way for the call and its output', () => {
  const id = 'x'.repeat(100);
  const { body } = encoded(
    from([
      { role: 'assistant', parts: [{ type: 'tool-call', id, name: 'f', arguments: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', id, content: [] }] },
    ]),
  );
  expect(body.input[0].call_id).toHaveLength(64);
  expect(body.input[1]).toEqual({ type: 'function_call_output', call_id: body.input[0].call_id, output: '' });
});

// ---- laws over any request

const text = fc.string({ minLength: 1 });
const inputBlock = fc.oneof(
  fc.record({ type: fc.constant('input_text'), text }),
  fc.record({ type: fc.constant('input_image'), image_url: fc.webUrl(), detail: fc.constantFrom('low', 'high') }),
  fc.record({ type: fc.constant('input_image'), file_id: fc.constant('file-1'), detail: fc.constant('auto') }),
  fc.record({
    type: fc.constant('input_file'),
    filename: text,
    file_data: fc.constant('data:application/pdf;base64,JVBERi'),
  }),
  fc.record({ type: fc.constant('input_file'), file_url: fc.webUrl() }),
);
const item = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    role: fc.constantFrom('user', 'system', 'developer'),
    content: fc.oneof(text, fc.array(inputBlock, { minLength: 1 })),
  }),
  fc.record({
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('output_text'), text, annotations: fc.constant([]) }),
          fc.record({ type: fc.constant('refusal'), refusal: text }),
        ),
        { minLength: 1 },
      ),
    ),
  }),
  fc.record(
    { type: fc.constant('function_call'), call_id: text, name: text, arguments: text },
    { noNullPrototype: true },
  ),
  fc.record({
    type: fc.constant('function_call_output'),
    call_id: text,
    output: fc.oneof(text, fc.array(inputBlock, { minLength: 1 })),
  }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: text, name: text, input: text }),
  fc.record({
    type: fc.constant('reasoning'),
    id: fc.constant('rs_1'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text })),
    encrypted_content: text,
  }),
  fc.record({ type: fc.constant('web_search_call'), id: text, status: fc.constant('completed') }),
);
const body = fc.record(
  {
    input: fc.array(item, { minLength: 1 }),
    instructions: text,
    temperature: fc.constantFrom(0, 0.5, 2),
    max_output_tokens: fc.integer({ min: 16, max: 1_000 }),
    parallel_tool_calls: fc.boolean(),
    tools: fc.array(
      fc.record({
        type: fc.constant('function'),
        name: text,
        parameters: fc.constant({ type: 'object' }),
        strict: fc.boolean(),
      }),
      { minLength: 1 },
    ),
    reasoning: fc.record({ effort: fc.constantFrom('low', 'high'), summary: fc.constant('auto') }),
    metadata: fc.dictionary(fc.constantFrom('a', 'b'), text, { noNullPrototype: true }),
    truncation: fc.constant('auto'),
    prompt_cache_key: text,
    safety_identifier: text,
    unknown_member: fc.integer(),
  },
  { requiredKeys: ['input'], noNullPrototype: true },
);

test('a request of this format survives decoding and encoding', () => {
  fc.assert(
    fc.property(body, (sent) => {
      const calls = new Set(sent.input.flatMap((one) => (one.type === 'custom_tool_call' ? [one.call_id] : [])));
      fc.pre(!sent.input.some((one) => one.type === 'function_call_output' && calls.has(one.call_id)));
      fc.pre(sent.input.every((one) => !('call_id' in one) || one.call_id.length <= 64));
      const { body: back, losses } = encoded(decoded(sent));
      expect(losses).toEqual([]);
      const { model: _, store: __, include: ___, ...others } = back;
      expect(others).toEqual(structuredClone(sent));
    }),
    { numRuns: 300 },
  );
});

test('every value of a request is in the body for another upstream or among the losses', () => {
  fc.assert(
    fc.property(body, (sent) => {
      const { body: back, losses } = encoded({ ...decoded(sent), format: 'other' });
      const found = JSON.stringify(back);
      const fields = losses.map(({ field }) => field);
      for (const [path, value] of leaves(sent, '')) {
        const isNamed = fields.some(
          (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
        );
        if (!isNamed && !found.includes(JSON.stringify(value)))
          throw new Error(`${path} is lost: ${JSON.stringify(value)}`);
      }
    }),
    { numRuns: 300 },
  );
});

function leaves(value: unknown, path: string): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((inner, index) => leaves(inner, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return /(^|[.\]])type$/.test(path) ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}

test('each result of another format follows its call, and a missing result has a placeholder', () => {
  const call: Message = { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{}' }] };
  const result: Message = {
    role: 'tool',
    parts: [{ type: 'tool-result', id: 'a', content: [{ type: 'text', text: '1' }] }],
  };
  const { body, losses } = encoded(from([user('u'), result, call]));
  const none = 'This call has no result.';
  expect(body.input).toEqual([
    { type: 'message', role: 'user', content: 'u' },
    { type: 'message', role: 'user', content: '1' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: none },
  ]);
  expect(losses.map(({ verdict }) => verdict)).toEqual(['approximated', 'approximated']);
});
