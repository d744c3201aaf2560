import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Message } from '../../../domain/exchange/part.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOf } from '../../shared/json/json-writer.ts';
import { STATE_MARKER, wrapState } from '../shared/state-token.ts';
import { anthropicMessages } from './index.ts';
import { count, decode, encode, foreign, target } from './testing/samples.ts';

const CACHED = { cache_control: { type: 'ephemeral' } };

/** A request that uses every feature of the format. */
const RICH = {
  model: 'public',
  max_tokens: 2048,
  system: [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Long rules', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  messages: [
    { role: 'user', content: 'What is in it?' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look', future_member: { deep: 1 } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }, ...CACHED },
        { type: 'image', source: { type: 'url', url: 'https://a.example/b.png', crop: [1, 2] } },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'txt' },
          title: 'T',
          context: 'C',
          citations: { enabled: true },
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'chunk' }] } },
        { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'r' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        {
          type: 'text',
          text: 'Cited.',
          citations: [
            {
              type: 'char_location',
              cited_text: 'txt',
              document_index: 0,
              document_title: 'T',
              start_char_index: 0,
              end_char_index: 3,
            },
          ],
        },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'look',
          input: { at: 'x', n: 1.5 },
          caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_2' },
        },
        { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text', is_error: false },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { type: 'url', url: 'https://a.example/c.png' } },
            { type: 'tool_reference', tool_name: 'x' },
          ],
          ...CACHED,
        },
        { type: 'text', text: 'Go on' },
        { type: 'block_of_tomorrow', value: [1, { a: null }] },
      ],
    },
    { role: 'system', content: 'From now on in French' },
  ],
  tools: [
    {
      name: 'look',
      description: 'd',
      input_schema: { type: 'object', properties: {} },
      strict: true,
      input_examples: [{ at: 1 }],
      ...CACHED,
    },
    { type: 'web_search_20260209', name: 'web_search', max_uses: 2, allowed_callers: ['direct'] },
    { type: 'code_execution_20250825', name: 'code_execution' },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
  output_config: {
    effort: 'high',
    format: { type: 'json_schema', schema: { type: 'object', minProperties: 1 } },
    task_budget: { type: 'tokens', total: 5000 },
  },
  temperature: 1,
  top_p: 0.9,
  top_k: 5,
  stop_sequences: ['END', '\n'],
  metadata: { user_id: 'u1', team: 'x' },
  service_tier: 'standard_only',
  container: { id: 'c1', skills: [{ type: 'anthropic', skill_id: 'pptx' }] },
  mcp_servers: [{ type: 'url', url: 'https://m.example', name: 'm' }],
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  member_of_tomorrow: { a: [1] },
};

describe('a request of this format', () => {
  test('is unchanged by a round trip, whatever is in it', () => {
    const { body, losses, headers } = encode(decode(RICH), target('claude-opus-4-7'));
    expect(body).toEqual({ ...RICH, model: 'claude-opus-4-7' });
    expect(losses).toEqual([]);
    expect(headers?.['anthropic-beta']?.split(',')).toEqual([
      'files-api-2025-04-14',
      'mcp-client-2025-04-04',
      'context-management-2025-06-27',
      'skills-2025-10-02',
      'code-execution-2025-08-25',
    ]);
  });

  test('has every member in a canonical field or in rest, by its own path', () => {
    expect(decode(RICH).rest.map(({ path, verdict }) => `${path}: ${verdict}`)).toEqual([
      'container: refused',
      'context_management: dropped',
      'mcp_servers: refused',
      'member_of_tomorrow: dropped',
      'messages[1].content[0].future_member: dropped',
      'messages[1].content[2].source.crop: dropped',
      'messages[2].content[5].caller: dropped',
      'metadata.team: dropped',
      'tools[0].input_examples: dropped',
      'tools[1].allowed_callers: dropped',
      'output_config.task_budget: dropped',
    ]);
  });

  test.each([
    ['a mark at its last block', [], { type: 'ephemeral', ttl: '1h' }, ['1h'], []],
    ['the existing mark, if it is the same', ['5m'], { type: 'ephemeral' }, ['5m'], []],
    ['no second mark', ['1h'], { type: 'ephemeral' }, ['1h'], ['cache_control: dropped']],
    ['no mark for an unknown option', [], { type: 'ephemeral', scope: 'global' }, [], ['cache_control: dropped']],
  ] as const)('with cache_control for the whole has %s', (_, before, cache_control, after, rest) => {
    const marked = before.map((ttl) => ({ cache_control: { type: 'ephemeral', ttl } }))[0];
    const content = [{ type: 'text', text: 'Hi', ...marked }];
    const decoded = decode({ model: 'm', max_tokens: 64, messages: [{ role: 'user', content }], cache_control });
    expect(decoded.messages[0]?.parts.flatMap(({ cache }) => cache?.ttl ?? [])).toEqual([...after]);
    expect(decoded.rest.map(({ path, verdict }) => `${path}: ${verdict}`)).toEqual([...rest]);
  });

  test('is split into messages with separate tool results', () => {
    const { messages } = decode(RICH);
    expect(messages.map(({ role, path, parts }) => [role, path, parts.map(({ type }) => type).join()])).toEqual([
      ['system', 'system', 'text,text'],
      ['user', 'messages[0]', 'text'],
      ['user', 'messages[1]', 'text,image,image,image,document,unknown,unknown'],
      ['assistant', 'messages[2]', 'reasoning,reasoning,text,unknown,unknown,tool-call,tool-call'],
      ['tool', 'messages[3]', 'tool-result,tool-result'],
      ['user', 'messages[3]', 'text,unknown'],
      ['system', 'messages[4]', 'text'],
    ]);
    expect(messages[4]?.parts[0]).toMatchObject({ id: 'toolu_1', name: 'look', isError: false });
  });

  test('keeps the bytes of a tool input with inexact numbers', () => {
    const request = decode({ ...RICH, messages: [{ role: 'user', content: 'x' }] });
    const messages: Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'a', name: 'b', arguments: '{"n":12345678901234567890, "f":1.0}' }],
      },
    ];
    const encoded = anthropicMessages.encodeRequest({ ...request, messages }, target('claude-opus-4-7'));
    if (encoded instanceof Failure) throw new Error(encoded.message);
    expect(textOf(encoded.body)).toContain('"input":{"n":12345678901234567890, "f":1.0}');
  });

  test('is equivalent after any round trip through text and blocks', () => {
    const text = fc.string({ minLength: 1 });
    // A member with this name is refused before anything is read.
    const isRead = (made: unknown) => !JSON.stringify(made).includes('"__proto__":');
    const input = fc.dictionary(text, fc.jsonValue()).filter(isRead);
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('thinking'), thinking: text, signature: fc.base64String({ minLength: 4 }) }),
      fc.record({ type: fc.constant('tool_use'), id: text, name: text, input }),
      fc.record({ type: fc.constant('tool_use_of_tomorrow'), value: fc.jsonValue().filter(isRead) }),
    );
    const content = fc.oneof(text, fc.array(block, { minLength: 1 }));
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), (messages) => {
        const body = JSON.parse(JSON.stringify({ model: 'm', max_tokens: 9, messages }));
        expect(encode(decode(body), target('m')).body).toEqual(body);
      }),
      { numRuns: 60 },
    );
  });

  test('sends reasoning state back to its issuer only', () => {
    const own = wrapState({ family: 'anthropic', data: 'sig', provider: 'bedrock', channel: 'b' });
    const other = wrapState({ family: 'google', data: 'g', provider: 'google', channel: 'g' });
    expect(own.startsWith(STATE_MARKER)).toBe(true);
    const content = [
      { type: 'thinking', thinking: 'a', signature: own },
      { type: 'redacted_thinking', data: other },
      { type: 'tool_use', id: 't', name: 'n', input: {} },
    ];
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content },
    ];
    const { body, losses } = encode(decode({ model: 'm', max_tokens: 9, messages }), target('claude-opus-4-5'));
    expect(body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'sig' },
      { type: 'tool_use', id: 't', name: 'n', input: {} },
    ]);
    expect(losses).toEqual(['messages[1].content[1]: dropped']);
  });
});

describe('a token count', () => {
  test('needs no max_tokens, and sends the prompt only', () => {
    const { max_tokens: _, ...body } = RICH;
    const request = decode(body, count);
    const counted = anthropicMessages.counting?.encodeRequest(request, target('claude-opus-4-7'));
    if (!counted || counted instanceof Failure) throw new Error('no count');
    expect(Object.keys(JSON.parse(textOf(counted.body))).sort()).toEqual([
      ...['context_management', 'mcp_servers', 'messages', 'model', 'output_config', 'system', 'thinking'],
      ...['tool_choice', 'tools'],
    ]);
  });

  test('is read from the response, and marked if it is an estimate', () => {
    expect(anthropicMessages.counting?.decodeAnswer(new TextEncoder().encode('{"input_tokens":12}'))).toBe(12);
    expect(anthropicMessages.counting?.decodeAnswer(new TextEncoder().encode('{}'))).toBeNull();
    const patch = { publicModel: 'p', routing: { json: '{"r":1}' }, created: 1, newId: String };
    expect(JSON.parse(anthropicMessages.encodeTokenCount?.(7, true, patch) ?? '')).toEqual({
      input_tokens: 7,
      estimated: true,
      _routing: { r: 1 },
    });
  });
});

const user: Message = {
  role: 'user',
  parts: [{ type: 'text', text: 'hi', path: 'messages[1].content' }],
  path: 'messages[1]',
};

describe('a request of another format', () => {
  test('has its leading instructions in system, alternating turns, and tool results first', () => {
    const request = foreign({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'one' }] },
        { role: 'developer', parts: [{ type: 'text', text: 'two' }] },
        user,
        {
          role: 'user',
          parts: [
            { type: 'text', text: ' ' },
            { type: 'text', text: 'there' },
          ],
        },
        { role: 'assistant', parts: [{ type: 'tool-call', id: 'call|1', name: 'f', arguments: '' }] },
        { role: 'user', parts: [{ type: 'text', text: 'and' }] },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'call|1', content: [{ type: 'text', text: 'r' }] }] },
      ],
    });
    const { body } = encode(request, target('claude-sonnet-4-5'));
    const id = body.messages[1].content[0].id;
    expect(id).toMatch(/^call_1_[0-9a-f]+$/);
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64000,
      system: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'text', text: 'there' },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: id, content: 'r' },
            { type: 'text', text: 'and' },
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'none' },
    });
  });

  test('has later instructions in the form that the model supports', () => {
    const request = foreign({
      messages: [user, { role: 'system', parts: [{ type: 'text', text: 'now' }], path: 'messages[2]' }],
    });
    const newer = encode(request, target('claude-opus-4-8'));
    expect(newer.body.messages[1]).toEqual({ role: 'system', content: 'now' });
    expect(newer.losses).toEqual([]);
    const older = encode(request, target('claude-sonnet-4-5'));
    expect(older.body.messages).toHaveLength(1);
    expect(older.losses).toEqual(['messages[2]: approximated']);
  });

  test('always has a user message', () => {
    const request = foreign({
      messages: [{ role: 'system', parts: [{ type: 'text', text: 'Do it' }], path: 'messages[0]' }],
    });
    const { body, losses } = encode(request, target('claude-haiku-4-5'));
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: 'user', content: 'Do it' }]);
    expect(losses).toEqual(['messages[0]: approximated']);
  });

  test('reports what Claude does not support, by name', () => {
    const request = foreign({
      names: {
        temperature: 'temperature',
        'top-p': 'top_p',
        seed: 'seed',
        'candidate-count': 'n',
        'cache-key': 'prompt_cache_key',
      },
      messages: [
        user,
        {
          role: 'user',
          parts: [
            {
              type: 'audio',
              source: { kind: 'base64', data: 'AA==' },
              mediaType: 'audio/wav',
              path: 'messages[2].content[0]',
            },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              type: 'image',
              source: { kind: 'base64', data: 'AA==' },
              mediaType: 'image/tiff',
              path: 'messages[3].content[0]',
            },
          ],
        },
      ],
      temperature: 1.5,
      topP: 0.5,
      seed: 3,
      candidateCount: 2,
      cacheKey: 'k',
      rest: [{ path: 'custom', value: 1, verdict: 'dropped', why: 'w' }],
    });
    const { body, losses } = encode(request, target('claude-sonnet-4-5'));
    expect(body.temperature).toBe(1);
    expect(losses.sort()).toEqual([
      'custom: dropped',
      'messages[2].content[0]: refused',
      'messages[3].content[0]: refused',
      'n: refused',
      'prompt_cache_key: dropped',
      'seed: dropped',
      'temperature: approximated',
      'top_p: dropped',
    ]);
  });

  test('keeps the last four cache marks', () => {
    const parts = Array.from({ length: 6 }, (_, index) => ({
      type: 'text' as const,
      text: `t${index}`,
      cache: { ttl: '5m' as const },
      path: `messages[0].content[${index}]`,
    }));
    const { body, losses } = encode(foreign({ messages: [{ role: 'user', parts }] }), target('claude-sonnet-4-5'));
    const marked = body.messages[0].content.filter((block: any) => block.cache_control).map((block: any) => block.text);
    expect(marked).toEqual(['t2', 't3', 't4', 't5']);
    expect(losses).toHaveLength(2);
  });

  test('has documents as PDF or text by their content', () => {
    const document = (data: string, mediaType: string | null) =>
      ({ type: 'document', source: { kind: 'base64', data }, mediaType, fileName: 'a.txt' }) as const;
    const parts = [document('JVBERi0xLjQ=', null), document(btoa('# hi'), 'text/markdown')];
    const { body } = encode(foreign({ messages: [{ role: 'user', parts }] }), target('claude-sonnet-4-5'));
    expect(body.messages[0].content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' },
        title: 'a.txt',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# hi' }, title: 'a.txt' },
    ]);
  });

  test('does not end in white space if the model continues from it', () => {
    const messages: Message[] = [user, { role: 'assistant', parts: [{ type: 'text', text: 'So: ' }] }];
    expect(encode(foreign({ messages }), target('claude-sonnet-4-5')).body.messages[1].content).toBe('So:');
  });
});

describe('tools', () => {
  const tool = { type: 'function', name: 'f', description: null, parameters: null, strict: null } as const;

  test("are chosen in this format's own terms", () => {
    const choose = (more: object) =>
      encode(foreign({ messages: [user], tools: [tool], ...more }), target('claude-sonnet-4-5'));
    expect(choose({ toolChoice: { mode: 'required' } }).body.tool_choice).toEqual({ type: 'any' });
    expect(choose({ toolChoice: { mode: 'tool', name: 'f' } }).body.tool_choice).toEqual({ type: 'tool', name: 'f' });
    expect(choose({ parallelToolCalls: false }).body.tool_choice).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    expect(choose({ parallelToolCalls: true }).body.tool_choice).toBeUndefined();
    expect(choose({ toolChoice: { mode: 'none' }, parallelToolCalls: false }).body.tool_choice).toEqual({
      type: 'none',
    });
    const allowed = choose({
      tools: [tool, { ...tool, name: 'g' }],
      toolChoice: { mode: 'allowed', names: ['g'], required: true },
    });
    expect(allowed.body.tools.map(({ name }: { name: string }) => name)).toEqual(['g']);
    expect(allowed.body.tool_choice).toEqual({ type: 'any' });
    expect(allowed.losses).toEqual(['tool-choice-allowed: approximated']);
  });

  test('cannot be forced on a model that refuses it', () => {
    const request = foreign({ messages: [user], tools: [tool], toolChoice: { mode: 'required' } });
    expect(encode(request, target('claude-opus-5-5')).losses).toEqual(['tool-choice: refused']);
  });

  test('of another provider are refused, and a web search is translated', () => {
    const raw = { format: 'openai-responses', value: {} };
    const search = {
      type: 'web-search',
      allowedDomains: ['a.example'],
      blockedDomains: null,
      maxUses: 3,
      userLocation: { country: 'FR' },
      contextSize: 'low',
      raw,
      path: 'tools[0]',
    } as const;
    const hosted = { type: 'hosted', name: 'code_interpreter', raw, path: 'tools[1]' } as const;
    const { body, losses } = encode(foreign({ messages: [user], tools: [search, hosted] }), target('claude-opus-4-5'));
    expect(body.tools).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['a.example'],
        max_uses: 3,
        user_location: { type: 'approximate', country: 'FR' },
      },
    ]);
    expect(losses).toEqual(['tools[0].search_context_size: dropped', 'tools[1]: refused']);
  });
});

describe('JSON output', () => {
  test('is constrained by a supported schema', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
    const responseFormat = { type: 'json-schema', schema, name: 'x', description: null, strict: true } as const;
    const { body, losses } = encode(foreign({ messages: [user], responseFormat }), target('claude-sonnet-4-5'));
    expect(body.output_config.format).toEqual({
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: { n: { type: 'integer', description: '{minimum: 1}' } },
        required: ['n'],
        additionalProperties: false,
      },
    });
    expect(losses).toEqual(['json-schema.name: dropped', 'json-schema: approximated']);
    expect(encode(foreign({ messages: [user], responseFormat }), target('claude-opus-4-1')).losses).toEqual([
      'json-schema: refused',
    ]);
  });

  test('without a schema is requested in the prompt', () => {
    const { body, losses } = encode(
      foreign({ messages: [user], responseFormat: { type: 'json' } }),
      target('claude-sonnet-4-5'),
    );
    expect(body.system).toContain('JSON object');
    expect(losses).toEqual(['json-mode: approximated']);
  });
});
