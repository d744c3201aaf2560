import { describe, expect, test } from 'bun:test';
import { type ExchangeRequest, emptyRequest, type Tool } from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { cohereChat } from '../cohere-chat/index.ts';
import { gemini } from '../gemini/index.ts';
import { openaiResponses } from '../openai-responses/index.ts';
import { COMMON_TOOL_NAMES, fittingName } from './tool-names.ts';
import { needsToolTranslation, ToolTranslation } from './tool-translation.ts';

const PATCH = '*** Begin Patch\n*** Add File: "a"\n+\\ü🧮\n*** End Patch';
const LONG = `mcp__${'very_'.repeat(12)}long__tool`;

const apply: Tool = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
  path: 'tools[0]',
};
const long: Tool = {
  type: 'function',
  name: LONG,
  description: null,
  parameters: { type: 'object' },
  strict: null,
  path: 'tools[1]',
};
const cachedSearch: Tool = {
  type: 'web-search',
  allowedDomains: null,
  blockedDomains: null,
  maxUses: null,
  userLocation: null,
  contextSize: null,
  raw: { format: 'openai-responses', value: { type: 'web_search', external_web_access: false } },
  path: 'tools[2]',
};

const request: ExchangeRequest = {
  ...emptyRequest('openai-responses', {}),
  tools: [apply, long, cachedSearch],
  toolChoice: { mode: 'tool', name: 'apply_patch', custom: true },
  messages: [
    {
      role: 'assistant',
      parts: [
        { type: 'tool-call', id: 'c1', name: 'apply_patch', arguments: PATCH, custom: true },
        { type: 'tool-call', id: 'c2', name: LONG, arguments: '{"a":1}' },
      ],
    },
    {
      role: 'tool',
      parts: [
        { type: 'tool-result', id: 'c1', name: 'apply_patch', content: [{ type: 'text', text: 'Done' }], custom: true },
        { type: 'tool-result', id: 'c2', name: LONG, content: [] },
      ],
    },
  ],
};

function translationTo(format: typeof anthropicMessages, names = COMMON_TOOL_NAMES) {
  return new ToolTranslation(request, { format: format.name, carries: format.carries, quirks: [], names });
}

describe('for an upstream with short-named functions', () => {
  const translation = translationTo(anthropicMessages);
  const sent = translation.request();
  const short = fittingName(LONG, COMMON_TOOL_NAMES);

  test('the tools are functions', () => {
    expect(short).toMatch(/^[a-zA-Z0-9_-]{64}$/);
    expect(sent.tools).toEqual([
      {
        type: 'function',
        name: 'apply_patch',
        description: expect.stringMatching(/^Edits files\.\n\n[\s\S]*`input`[\s\S]*\(lark\):\nstart: "x"$/),
        parameters: {
          type: 'object',
          properties: { input: { type: 'string', description: "The tool's whole text." } },
          required: ['input'],
          additionalProperties: false,
        },
        strict: null,
        path: 'tools[0]',
      },
      { ...long, name: short },
    ]);
    expect(sent.toolChoice).toEqual({ mode: 'tool', name: 'apply_patch' });
    expect(translation.losses.map(({ field, verdict }) => [field, verdict])).toEqual([
      ['tools[1].name', 'approximated'],
      ['tools[0]', 'approximated'],
      ['tools[2]', 'dropped'],
    ]);
  });

  test('so are the calls in earlier turns', () => {
    expect(sent.messages.map(({ parts }) => parts)).toEqual([
      [
        { type: 'tool-call', id: 'c1', name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) },
        { type: 'tool-call', id: 'c2', name: short, arguments: '{"a":1}' },
      ],
      [
        { type: 'tool-result', id: 'c1', name: 'apply_patch', content: [{ type: 'text', text: 'Done' }] },
        { type: 'tool-result', id: 'c2', name: short, content: [] },
      ],
    ]);
  });

  const answer: ExchangeResponse = {
    id: 'a',
    created: null,
    usage: null,
    candidates: [
      {
        index: 0,
        finish: { unified: 'tool-calls', raw: null },
        parts: [
          { type: 'tool-call', id: 'c3', name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) },
          { type: 'tool-call', id: 'c4', name: short, arguments: '{"input":"b"}' },
        ],
      },
    ],
  };
  const restored = [
    { type: 'tool-call', id: 'c3', name: 'apply_patch', arguments: PATCH, custom: true },
    { type: 'tool-call', id: 'c4', name: LONG, arguments: '{"input":"b"}' },
  ];

  test("the response's calls are the client's", () => {
    expect<unknown>(translation.response(answer).candidates[0]?.parts).toEqual(restored);
  });

  test('also in a stream, piece by piece', () => {
    const parts = partsOfResponse(answer).flatMap((part): StreamPart[] =>
      part.type === 'tool-call-delta' ? [...part.arguments].map((text) => ({ ...part, arguments: text })) : [part],
    );
    const decoder = translation.decoder({ push: () => parts.slice(0, -1), end: () => parts.slice(-1) });
    const read = [...decoder.push(new Uint8Array()), ...decoder.end()];
    const calls: Record<string, unknown>[] = [];
    for (const part of read) {
      if (part.type === 'tool-call-start') calls.push({ ...part, type: 'tool-call', arguments: '' });
      const call = calls.at(-1);
      if (part.type === 'tool-call-delta' && call) call.arguments += part.arguments;
    }
    expect<unknown>(calls).toEqual(restored.map((call) => ({ ...call, candidate: 0 })));
    expect(read.length).toBeGreaterThan(40);
    expect(read.at(-1)).toEqual({ type: 'end' });
  });
});

test("an upstream of the same format gets the client's tools", () => {
  const translation = translationTo(openaiResponses);
  expect(translation.request()).toEqual(request);
  expect(translation.losses).toEqual([]);
});

test('a Responses host with functions only gets functions, wherever the tools were', () => {
  const { carries, name: format } = openaiResponses;
  const why = 'functions alone';
  const lacking = { ...carries, 'custom-tools': { verdict: 'approximated', why } } as const;
  const quirks = [{ kind: 'lacks', feature: 'custom-tools', verdict: 'approximated', isRefused: true, why }] as const;
  const grouped = { ...long, namespace: { name: 'mcp', member: 'tool', description: null, path: 'tools[1]' } };
  const later = { ...apply, path: 'input[0].tools[0]' };
  const asked = { ...request, tools: [grouped, later, cachedSearch], messages: [] };
  const translation = new ToolTranslation(asked, { format, carries: lacking, quirks, names: COMMON_TOOL_NAMES });
  const { tools } = translation.request();
  expect(tools.map((tool) => [tool.type, 'name' in tool && tool.name, tool.path])).toEqual([
    ['function', LONG, 'tools[1]'],
    ['function', 'apply_patch', undefined],
  ]);
  expect(tools.some((tool) => 'namespace' in tool)).toBe(false);
  const losses = translation.losses.map(({ field, verdict }) => [field, verdict]);
  expect(losses).toEqual([
    ['tools[1]', 'approximated'],
    ['input[0].tools[0]', 'approximated'],
    ['tools[2]', 'dropped'],
  ]);
  expect(needsToolTranslation({ tools: [{ type: 'namespace' }] }, quirks)).toBe(true);
  expect(needsToolTranslation({ input: [{ type: 'custom_tool_call' }] }, quirks)).toBe(true);
  expect(needsToolTranslation({ tools: [{ type: 'function' }], input: 'Hi' }, quirks)).toBe(false);
  expect(needsToolTranslation({ tools: [{ type: 'custom' }] }, [])).toBe(false);
  const has = { kind: 'has', feature: 'custom-tools', why } as const;
  expect(needsToolTranslation({ tools: [{ type: 'custom' }] }, [...quirks, has])).toBe(false);
});

test('format-specific tool features are described in text, or dropped if not needed', () => {
  const unknown = (format: string, value: unknown) => ({ type: 'unknown', format, value, path: 'here' }) as const;
  const search: Tool = {
    type: 'hosted',
    name: 'tool_search_tool_regex',
    raw: { format: 'anthropic-messages', value: { type: 'tool_search_tool_regex_20251119' } },
    path: 'tools[0]',
  };
  const reference = unknown('anthropic-messages', { type: 'tool_reference', tool_name: LONG });
  const asked: ExchangeRequest = {
    ...emptyRequest('anthropic-messages', {}),
    tools: [search, long],
    messages: [
      { role: 'assistant', parts: [unknown('openai-responses', { type: 'additional_tools', tools: [] })] },
      { role: 'tool', parts: [{ type: 'tool-result', id: 'c', content: [reference] }] },
    ],
  };
  const { name: format, carries } = cohereChat;
  const translation = new ToolTranslation(asked, { format, carries, quirks: [], names: COMMON_TOOL_NAMES });
  const sent = translation.request();
  const text = `The tool ${fittingName(LONG, COMMON_TOOL_NAMES)} can be called now.`;
  expect<unknown>(sent.messages).toEqual([
    { role: 'tool', parts: [{ type: 'tool-result', id: 'c', content: [{ type: 'text', text, path: 'here' }] }] },
  ]);
  expect(sent.tools).toHaveLength(1);
  expect(translation.losses.map(({ field, verdict }) => [field, verdict])).toEqual([
    ['tools[1].name', 'approximated'],
    ['tools[0]', 'dropped'],
    ['here', 'approximated'],
    ['here', 'approximated'],
  ]);
});

describe('a search run by the provider', () => {
  const taker = (format: typeof openaiResponses | typeof cohereChat) => ({
    ...{ format: format.name, carries: format.carries, quirks: [], names: COMMON_TOOL_NAMES },
  });
  const live: Tool = {
    ...cachedSearch,
    raw: { format: 'openai-responses', value: { type: 'web_search', external_web_access: true } },
  };

  test.each([
    ['beside other tools is dropped if unsupported', [long, live], cohereChat, 1],
    ['beside other tools is carried if supported', [long, live], anthropicMessages, 2],
    ['is sent without web access only to its own provider', [long, cachedSearch], anthropicMessages, 1],
    ['alone stays, to be carried or refused', [live], cohereChat, 1],
  ] as const)('%s', (_name, tools, format, count) => {
    const translation = new ToolTranslation({ ...emptyRequest('openai-responses', {}), tools }, taker(format));
    expect(translation.request().tools).toHaveLength(count);
  });

  test('cannot be chosen by name elsewhere', () => {
    const tools = [{ ...live, raw: { format: 'anthropic-messages', value: { name: 'web_search' } } }];
    const asked = {
      ...emptyRequest('anthropic-messages', {}),
      tools,
      toolChoice: { mode: 'tool', name: 'web_search' } as const,
    };
    const translation = new ToolTranslation(asked, taker(openaiResponses));
    expect(translation.request().toolChoice).toEqual({ mode: 'required' });
    expect(translation.losses).toMatchObject([{ field: 'tool_choice', verdict: 'approximated' }]);
    expect(new ToolTranslation(asked, taker(anthropicMessages)).request().toolChoice).toEqual(asked.toolChoice);
  });
});

describe('tool names that Google and Cohere refuse', () => {
  const rules = [
    [gemini, /^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$/],
    [cohereChat, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/],
  ] as const;
  const names = ['2fa_lookup', '-dash', '1'.repeat(64), 'größe', '.hidden', '2-fa', '2_fa'];
  const tools = names.map((name): Tool => ({ ...long, name }));

  test.each(rules.map(([format, rule]) => [format.name, format, rule] as const))(
    'are replaced for %s and restored, with calls, results and choices',
    (_name, format, rule) => {
      const parts = names.map((name) => ({ type: 'tool-call', id: name, name, arguments: '{}' }) as const);
      const results = names.map((name) => ({ type: 'tool-result', id: name, name, content: [] }) as const);
      const asked: ExchangeRequest = {
        ...emptyRequest('openai-chat', {}),
        tools,
        toolChoice: { mode: 'allowed', names, required: true },
        messages: [
          { role: 'assistant', parts },
          { role: 'tool', parts: results },
        ],
      };
      const taker = { format: format.name, carries: format.carries, quirks: [], names: format.toolNames };
      const translation = new ToolTranslation(asked, taker);
      const sent = translation.request();
      const sentNames = sent.tools.flatMap((tool) => ('name' in tool ? tool.name : []));
      expect(sentNames.filter((name) => !rule.test(name))).toEqual([]);
      expect(new Set(sentNames).size).toBe(names.length);
      expect(translation.losses.map(({ verdict }) => verdict)).toEqual(names.map(() => 'approximated'));
      expect(sent.toolChoice).toEqual({ mode: 'allowed', names: sentNames, required: true });
      expect(sent.messages.map((message) => message.parts.map((part) => 'name' in part && part.name))).toEqual([
        sentNames,
        sentNames,
      ]);
      const choosing = new ToolTranslation({ ...asked, toolChoice: { mode: 'tool', name: '2-fa' } }, taker);
      expect(choosing.request().toolChoice).toEqual({ mode: 'tool', name: sentNames[5] ?? '' });
      const answer: ExchangeResponse = {
        ...{ id: null, created: null, usage: null },
        candidates: [
          {
            index: 0,
            parts: sentNames.map((name) => ({ type: 'tool-call', id: name, name, arguments: '{}' })),
            finish: { unified: 'tool-calls', raw: null },
          },
        ],
      };
      const namesIn = (list: readonly object[]) => list.flatMap((one) => ('name' in one ? one.name : []));
      expect(namesIn(translation.response(answer).candidates[0]?.parts ?? [])).toEqual(names);
      const stream = partsOfResponse(answer);
      const decoder = translation.decoder({ push: () => stream, end: () => [] });
      expect(namesIn(decoder.push(new Uint8Array(0)))).toEqual(names);
    },
  );
});

test('a valid name stays, and an invalid one becomes a unique other', () => {
  expect(fittingName('read_file-2', COMMON_TOOL_NAMES)).toBe('read_file-2');
  const names = ['fs.read', 'fs:read', 'fs read', `${LONG}1`, `${LONG}2`].map((name) =>
    fittingName(name, COMMON_TOOL_NAMES),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
});

test('a call with a namespace is of the tool declared in it, else of the plain tool', () => {
  const grouped: Tool = {
    ...long,
    name: 'mcp__look',
    namespace: { name: 'mcp', member: 'look', description: null, path: 'tools[1]' },
  };
  const { name: format, carries, toolNames: names } = openaiResponses;
  const taker = { format, carries, quirks: [], names };
  const named = (tools: readonly Tool[]) => {
    const call = { type: 'tool-call' as const, id: 'c1', namespace: 'mcp', name: 'look', arguments: '{}' };
    const finish = { unified: 'tool-calls', raw: null } as const;
    const answer = { id: null, created: null, usage: null, candidates: [{ index: 0, parts: [call], finish }] };
    const [part] = new ToolTranslation({ ...request, tools }, taker).response(answer).candidates[0]?.parts ?? [];
    return part?.type === 'tool-call' && part.name;
  };
  expect(named([grouped])).toBe('mcp__look');
  expect(named([long])).toBe('look');
});

describe('a duplicate result', () => {
  const call = { type: 'tool-call', id: 'c1', name: 'read', arguments: '{}' } as const;
  const result = (text: string, path: string) =>
    ({ type: 'tool-result', id: 'c1', content: [{ type: 'text', text, path: `${path}.x` }], path }) as const;
  const translated = (format: string, ...results: readonly ReturnType<typeof result>[]) => {
    const messages = [
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: results },
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: [result('alpha', 'c')] },
    ] as const;
    const taker = { format, carries: anthropicMessages.carries, quirks: [], names: COMMON_TOOL_NAMES };
    const tools = new ToolTranslation({ ...emptyRequest('gemini', {}), messages }, taker);
    const sent = tools.request().messages.map(({ parts }) => parts.map(({ path }) => path));
    return { sent, losses: tools.losses };
  };

  test('is sent once, except to an upstream of the same format', () => {
    const { sent, losses } = translated('anthropic-messages', result('alpha', 'a'), result('alpha', 'b'));
    expect(sent).toEqual([[undefined], ['a'], [undefined], ['c']]);
    expect(losses).toMatchObject([{ field: 'b', verdict: 'approximated' }]);
    expect(translated('gemini', result('alpha', 'a'), result('alpha', 'b')).sent[1]).toEqual(['a', 'b']);
  });

  test('with different content is sent both times', () => {
    const { sent, losses } = translated('anthropic-messages', result('alpha', 'a'), result('beta', 'b'));
    expect(sent[1]).toEqual(['a', 'b']);
    expect(losses).toEqual([]);
  });
});
