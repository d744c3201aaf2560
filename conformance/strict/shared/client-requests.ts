/*
 * Requests in client formats other than the upstream's: usual ones, and ones that only their format allows.
 */

export const hi = { role: 'user', content: 'Hello' };
export const OBJECT = { type: 'object', properties: { a: { type: 'string' } } };
export const tool = (parameters?: object, name = 'look_up', more: object = {}) => ({
  ...{ type: 'function', function: { name, description: 'd', ...(parameters && { parameters }), ...more } },
});
const chatCalls = (...ids: readonly string[]) => ({
  ...{ role: 'assistant', content: null },
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look_up', arguments: '{}' } })),
});
export const result = (id: string, content = 'found') => ({ role: 'tool', tool_call_id: id, content });
const withTool = (...messages: readonly object[]) => ({ messages, tools: [tool(OBJECT)] });
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LIMITED = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 1, maximum: 9 },
    list: { type: 'array', items: { $ref: '#/$defs/Item', description: 'An item.' }, maxItems: 3 },
    either: { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'null' }] },
  },
  $defs: { Item: { type: 'object', properties: { next: { $ref: '#/$defs/Item' } } } },
};
const schemaAnswer = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
});
const many = (count: number, property: object) => ({
  ...{ type: 'object', additionalProperties: false },
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, property])),
});

export const CHAT: Readonly<Record<string, object>> = {
  'a system prompt': { messages: [{ role: 'system', content: 'Be brief.' }, hi] },
  'only a system prompt': { messages: [{ role: 'system', content: 'Be brief.' }] },
  'a later system message': {
    messages: [
      { role: 'system', content: 'Be brief.' },
      hi,
      { role: 'assistant', content: 'Hi.' },
      { role: 'system', content: 'Now.' },
      hi,
    ],
  },
  'empty texts': {
    messages: [
      { role: 'system', content: '' },
      hi,
      { role: 'assistant', content: '' },
      { role: 'user', content: ' ' },
      hi,
    ],
  },
  'a prefilled answer': { messages: [hi, { role: 'assistant', content: 'The answer is ' }] },
  'a conversation that begins with an assistant message': { messages: [{ role: 'assistant', content: 'Hello.' }, hi] },
  'temperature and top_p': { messages: [hi], temperature: 0.3, top_p: 0.9 },
  'a high temperature': { messages: [hi], temperature: 1.7 },
  'penalties, a seed and logprobs': {
    messages: [hi],
    frequency_penalty: 0,
    presence_penalty: 0.5,
    seed: 1,
    logprobs: true,
  },
  'a large output limit': { messages: [hi], max_completion_tokens: 500_000 },
  'a small output limit with thinking': { messages: [hi], max_tokens: 500, reasoning_effort: 'high' },
  'whitespace stop sequences': { messages: [hi], stop: ['\n', 'END'] },
  'an email address as the user': { messages: [hi], user: 'ann@example.com' },
  'a long user': { messages: [hi], user: 'x'.repeat(600) },
  'a schema with limits': { messages: [hi], ...schemaAnswer(LIMITED) },
  'a strict tool with limits': { messages: [hi], tools: [tool(LIMITED, 'look_up', { strict: true })] },
  'parameters without a type': { messages: [hi], tools: [tool({}), tool(undefined, 'none')] },
  'alternative parameter schemas': {
    messages: [hi],
    tools: [
      tool({ anyOf: [OBJECT, { type: 'object', required: ['b'] }] }),
      tool({ ...OBJECT, oneOf: [{ required: ['a'] }] }, 'either'),
    ],
  },
  'argument names with brackets': {
    messages: [hi],
    tools: [tool({ type: 'object', properties: { 'filter[id]': {} } })],
  },
  'many strict tools': {
    messages: [hi],
    tools: Array.from({ length: 25 }, (_, at) => tool(many(1, { type: 'string' }), `f${at}`, { strict: true })),
  },
  'many nullable arguments': {
    messages: [hi],
    tools: [tool(many(20, { type: ['string', 'null'] }), 'look_up', { strict: true })],
  },
  'a named tool choice': { ...withTool(hi), tool_choice: { type: 'function', function: { name: 'look_up' } } },
  'a forced tool and thinking': { ...withTool(hi), tool_choice: 'required', reasoning_effort: 'high' },
  'tool choice none without tools': { messages: [hi], tool_choice: 'none' },
  'tool choice auto without tools': { messages: [hi], tool_choice: 'auto' },
  'an alias of a media type': {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/jpg;base64,${PNG}` } }] }],
  },
  'calls and their results': withTool(hi, chatCalls('call|1', 'b'), result('call|1'), result('b'), hi),
  'calls and a thinking model': { ...withTool(hi, chatCalls('a'), result('a')), reasoning_effort: 'high' },
  'text next to calls and results': withTool(hi, { ...chatCalls('a'), content: 'I look.' }, result('a'), hi),
  'results without tools': { messages: [hi, chatCalls('a'), result('a')] },
  'results in another order': withTool(hi, chatCalls('a', 'b'), result('b'), result('a')),
  'a call without a result': withTool(hi, chatCalls('a'), hi),
  'a missing result': withTool(hi, chatCalls('a', 'b'), result('a'), hi),
  'a message before the result': withTool(hi, chatCalls('a'), hi, result('a')),
  'a result without a call': withTool(hi, result('a'), hi),
  'a duplicate result': withTool(hi, chatCalls('a'), result('a'), result('a'), hi),
  'an empty result': withTool(hi, chatCalls('a'), result('a', '')),
  'a call as the last message': withTool(hi, chatCalls('a')),
  'a system message between a call and its result': withTool(
    hi,
    chatCalls('a'),
    { role: 'system', content: 'Now.' },
    result('a'),
  ),
  ...Object.fromEntries(
    ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((effort) => [
      `the effort ${effort}`,
      { messages: [hi], reasoning_effort: effort, temperature: 0.2, top_p: 0.5 },
    ]),
  ),
};

const item = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
export const RESPONSES: Readonly<Record<string, object>> = {
  'a later developer message': { input: [item('user', 'Hi'), item('developer', 'Now.'), item('user', 'Go on.')] },
  'a final assistant message': { input: [item('user', 'Hi'), item('assistant', 'Hello.')] },
  'strict tools by default': {
    input: 'Hi',
    tools: Array.from({ length: 22 }, (_, at) => ({
      type: 'function',
      name: `f${at}`,
      parameters: many(1, { type: ['string', 'null'] }),
      strict: true,
    })),
  },
  'a reasoning summary': { input: 'Hi', reasoning: { effort: 'high', summary: 'detailed' }, max_output_tokens: 400 },
  'a safety identifier': { input: 'Hi', safety_identifier: 'ann@example.com' },
};

type Headers = Readonly<Record<string, string>>;

export const CLAUDE_CODE: Headers = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,advanced-tool-use-2025-11-20,prompt-caching-scope-2026-01-05,effort-2025-11-24',
};
export const claudeCode = (more: object = {}) => ({
  ...{ max_tokens: 4_096, messages: [hi], metadata: { user_id: 'user_1_account_2_session_3' } },
  system: [
    { type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral', scope: 'global', ttl: '1h' } },
  ],
  tools: [
    { name: 'Bash', description: 'Runs a command.', input_schema: OBJECT, eager_input_streaming: true },
    {
      name: 'mcp__search',
      description: 'Searches.',
      input_schema: OBJECT,
      defer_loading: true,
      input_examples: [{ a: 'x' }],
    },
  ],
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  ...more,
});
