import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { wrapState } from '../shared/state-token.ts';
import { openaiResponses } from './index.ts';
import { decoded, encoded, parsed, rejected } from './testing/context.ts';

test('a string input is one user message, and is sent as a string', () => {
  const request = decoded({ input: 'Hi' });
  expect(request.messages).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'Hi', path: 'input' }], path: 'input' },
  ]);
  expect(encoded(request).body.input).toBe('Hi');
});

test('instructions are the first system message; message roles are kept', () => {
  const request = decoded({
    instructions: 'Be brief',
    input: [
      { role: 'developer', content: 'D' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'S' }] },
      { role: 'assistant', content: 'A' },
    ],
  });
  expect(request.messages.map(({ role, path }) => [role, path])).toEqual([
    ['system', 'instructions'],
    ['developer', 'input[0]'],
    ['system', 'input[1]'],
    ['assistant', 'input[2]'],
  ]);
});

test('the items of one turn are one message, and its outputs another', () => {
  const request = decoded({
    input: [
      { role: 'user', content: 'Weather?' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking', annotations: [] }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'w', arguments: '{"a":1}', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'sh', input: 'ls' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      {
        type: 'custom_tool_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        ],
      },
    ],
  });
  expect(request.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
    ['user', ['text']],
    ['assistant', ['reasoning', 'text', 'tool-call', 'tool-call']],
    ['tool', ['tool-result', 'tool-result']],
  ]);
  expect(request.messages[1]?.parts[0]).toEqual({
    type: 'reasoning',
    text: '',
    redacted: true,
    path: 'input[1]',
    state: {
      family: 'openai-responses',
      data: '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"enc"}',
      provider: null,
      channel: null,
    },
  });
  expect(request.messages[2]?.parts[1]).toEqual({
    type: 'tool-result',
    id: 'call_2',
    name: 'sh',
    custom: true,
    path: 'input[6]',
    content: [
      { type: 'text', text: 'x', path: 'input[6].output[0]' },
      {
        type: 'image',
        source: { kind: 'base64', data: 'AAAA' },
        mediaType: 'image/png',
        detail: 'low',
        path: 'input[6].output[1]',
      },
    ],
  });
  expect(request.rest.map(({ path }) => path)).toEqual(['input[3].id']);
});

test('a token in a reasoning item is the state of its issuer, with the shown text', () => {
  const state = { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'c9' } as const;
  const item = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] };
  const request = decoded({ input: [{ ...item, encrypted_content: wrapState(state) }] });
  expect(request.messages[0]?.parts).toEqual([{ type: 'reasoning', text: 'Hm', state, path: 'input[0]' }]);
});

test('members of this format only are kept in place at any depth', () => {
  const body = {
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi', zeta: 1 }], eta: { a: [1] } },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'A' }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}', namespace: 'n' },
    ],
    tools: [
      { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true, defer_loading: true },
      { type: 'mcp', server_label: 'l', server_url: 'https://x.test' },
    ],
    reasoning: { effort: 'low', context: 'auto' },
    text: { format: { type: 'text' }, theta: true },
    include: ['file_search_call.results'],
    truncation: 'auto',
    iota: 5,
  };
  const request = decoded(body);
  const own = encoded(request);
  expect(own.losses).toEqual([]);
  expect(own.body).toMatchObject({
    ...body,
    input: [body.input[0], { ...body.input[1], status: 'completed' }, body.input[2]],
    include: ['reasoning.encrypted_content', 'file_search_call.results'],
    store: false,
  } as object);
  const other = encoded({ ...request, format: 'other' });
  // `input[2]` is a call without a result.
  expect(other.losses.map(({ field }) => field).toSorted()).toEqual(
    [
      ...['include[0]', 'input[0].content[0].zeta', 'input[0].eta', 'input[1].id', 'input[1].phase', 'input[2]'],
      ...[
        'input[2].id',
        'input[2].namespace',
        'iota',
        'reasoning.context',
        'text.theta',
        'tools[0].defer_loading',
        'truncation',
      ],
    ].toSorted(),
  );
});

test('a reference that the gateway cannot resolve is a clear failure', () => {
  const failures = [
    { previous_response_id: 'resp_1' },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    { input: [{ id: 'msg_1' }] },
  ].map((body) => openaiResponses.decodeRequest(parsed({ model: 'm', ...body })));
  expect(failures.map((failure) => failure instanceof Failure && [failure.status, failure.details.param])).toEqual([
    [400, 'previous_response_id'],
    [400, 'input[0].id'],
    [400, 'input[0].id'],
  ]);
});

test('requests that rely on storage or background work of the provider are refused elsewhere', () => {
  const request = decoded({ input: 'Hi', background: true, conversation: 'conv_1', prompt: { id: 'p' } });
  const { losses } = encoded({ ...request, format: 'other' });
  expect(losses.map(({ field, verdict }) => [field, verdict])).toEqual([
    ['conversation', 'refused'],
    ['prompt', 'refused'],
    ['background', 'refused'],
  ]);
});

test('tool choices are decoded in every form', () => {
  const choices = [
    'required',
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    { type: 'mcp', server_label: 'l' },
  ];
  const requests = choices.map((tool_choice) => decoded({ input: 'Hi', tool_choice }));
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([
    { mode: 'required' },
    { mode: 'tool', name: 'f' },
    { mode: 'tool', name: 'c', custom: true },
    { mode: 'allowed', names: ['f'], required: false },
    null,
  ]);
  expect(requests.map((request) => encoded(request).body.tool_choice)).toEqual(choices);
});

test('an allowed_tools choice with mode none is no choice', () => {
  const tools = [{ type: 'function', name: 'f' }];
  const tool_choice = { type: 'allowed_tools', mode: 'none', tools };
  expect(decoded({ input: 'Hi', tool_choice }).toolChoice).toEqual({ mode: 'none' });
});

test('the message for an invalid field names it and what is allowed', () => {
  const wrong: readonly (readonly [object, string, string])[] = [
    [{ model: 'm' }, 'missing_required_parameter', 'input'],
    [{ input: 'Hi' }, 'missing_required_parameter', 'model'],
    [{ model: 'm', input: 5 }, 'invalid_type', 'input'],
    [{ model: 'm', input: 'Hi', temperature: 3 }, 'invalid_value', 'temperature'],
    [{ model: 'm', input: [{ role: 'robot', content: 'x' }] }, 'invalid_value', 'input[0].role'],
    [{ model: 'm', input: 'Hi', reasoning: { effort: 'huge' } }, 'invalid_value', 'reasoning.effort'],
    [{ model: 'm', input: 'Hi', text: { format: { type: 'xml' } } }, 'invalid_value', 'text.format.type'],
  ];
  for (const [body, code, param] of wrong) {
    const failure = rejected(body);
    expect([failure.code as string, failure.details.param]).toEqual([code, param]);
    expect(failure.message).toStartWith(param);
  }
});

test('a grammar of a custom tool is canonical, and encoded flat', () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
  const request = decoded({ input: 'Hi', tools: [{ type: 'custom', name: 'c', format }] });
  expect(request.tools[0]).toMatchObject({
    format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
  });
  expect(encoded(request).body.tools).toEqual([{ type: 'custom', name: 'c', format }]);
});

test('reasoning without encrypted content is plain text, whoever made it', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] };
  const request = decoded({ input: [item] });
  expect(request.messages[0]?.parts).toEqual([{ type: 'reasoning', text: 'Hm', path: 'input[0]' }]);
  expect(encoded(request).losses.map(({ field }) => field)).toEqual(['input[0]', 'input[0].id']);
});

const GROUP = {
  type: 'namespace',
  name: 'mcp__git',
  description: 'The repository.',
  x_group: 1,
  tools: [
    { type: 'function', name: 'log', parameters: { type: 'object' }, strict: false, defer_loading: true },
    { type: 'custom', name: 'run', description: 'Runs git.' },
  ],
};

test('the tools of a namespace are known by both names, and encoded in it', () => {
  const body = {
    input: [
      { type: 'function_call', call_id: 'c1', namespace: 'mcp__git', name: 'log', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'none' },
      { type: 'custom_tool_call', call_id: 'c2', namespace: 'mcp__git', name: 'run', input: 'status' },
    ],
    tools: [{ type: 'function', name: 'log', parameters: { type: 'object' }, strict: false }, GROUP],
  };
  const request = decoded(body);
  expect(request.tools.map((tool) => 'name' in tool && tool.name)).toEqual(['log', 'mcp__git__log', 'mcp__git__run']);
  const names = request.messages.flatMap(({ parts }) => parts.map((part) => 'name' in part && part.name));
  expect(names).toEqual(['mcp__git__log', 'mcp__git__log', 'mcp__git__run']);
  expect(encoded(request)).toMatchObject({ body, losses: [] });
});

test('tools added later are tools of the request, and their item is unchanged', () => {
  const item = { type: 'additional_tools', role: 'developer', tools: [GROUP] };
  const request = decoded({ input: [item, { role: 'user', content: 'Hi' }] });
  expect(request.tools.map((tool) => 'name' in tool && tool.name)).toEqual(['mcp__git__log', 'mcp__git__run']);
  const { body } = encoded(request);
  expect(body.input[0]).toEqual(item);
  expect(body.tools).toBeUndefined();
});

test('the penalties of Open Responses are carried, or reported for a target without them', () => {
  const request = decoded({ model: 'm', input: 'Hi', frequency_penalty: 0.5, presence_penalty: -1 });
  expect(request).toMatchObject({ frequencyPenalty: 0.5, presencePenalty: -1, rest: [] });
  const lost = encoded(request).losses.map(({ field, verdict }) => [field, verdict]);
  expect(lost.toSorted()).toEqual([
    ['frequency_penalty', 'dropped'],
    ['presence_penalty', 'dropped'],
  ]);
  expect(rejected({ model: 'm', input: 'Hi', frequency_penalty: 3 })).toMatchObject({
    details: { param: 'frequency_penalty' },
  });
});
