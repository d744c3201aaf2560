import { type Bodies, PDF, PNG, SCHEMA, user } from './samples.ts';

export const MESSAGES: Bodies = {
  'an image with a document type': {
    max_tokens: 100,
    messages: [
      user([
        {
          ...{ type: 'document', title: 'The first scan', context: 'It was made in a hurry.' },
          source: { type: 'base64', media_type: 'application/pdf', data: PNG },
        },
        { type: 'text', text: 'Read it to me.' },
      ]),
    ],
  },
  'a result without its call, a call without a result': {
    max_tokens: 100,
    messages: [
      user('Where does the tide stand?'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_tide', input: { pier: 7 } }] },
      user([{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'Four feet and rising.' }]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_3', name: 'read_tide', input: { pier: 8 } }] },
    ],
    tools: [{ name: 'read_tide', description: 'Reads a gauge.', input_schema: SCHEMA }],
  },
  'a tool with a dash': {
    max_tokens: 100,
    messages: [
      user('Where does the tide stand?'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read-tide', input: { pier: 7 } }] },
      user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Four feet and rising.' }]),
    ],
    tools: [{ name: 'read-tide', description: 'Reads a gauge.', input_schema: SCHEMA }],
  },
  'hosted tools': {
    max_tokens: 100,
    messages: [user('Compute it.')],
    tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
  },
  'visible thoughts, and the default cache lifetime': {
    max_tokens: 4000,
    system: [{ type: 'text', text: 'Be as brief as you can.', cache_control: { type: 'ephemeral', ttl: '5m' } }],
    messages: [user('Say a number between three and nine.')],
    thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' },
  },
  'servers and containers': {
    max_tokens: 100,
    messages: [user('Use the server.')],
    mcp_servers: [{ type: 'url', url: 'https://mcp.test/sse', name: 'the-server' }],
    container: 'container-7711',
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  },
  'every parameter': {
    max_tokens: 333,
    system: [{ type: 'text', text: 'Be as brief as you can.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [user('Say a number between three and nine.')],
    temperature: 0.3,
    top_p: 0.85,
    top_k: 44,
    stop_sequences: ['eleven'],
    metadata: { user_id: 'user-8731' },
    service_tier: 'standard_only',
    inference_geo: 'us',
    x_invented: { deep: [{ leaf: 'invented-leaf-text' }] },
  },
  'a tool loop': {
    max_tokens: 3000,
    thinking: { type: 'enabled', budget_tokens: 2048 },
    messages: [
      user('What is the weather like?'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Both places have to be looked up.', signature: 'c2lnbmF0dXJl' },
          { type: 'redacted_thinking', data: 'cmVkYWN0ZWQgdGhvdWdodA==' },
          { type: 'text', text: 'I will look it up.' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo', days: [3, 5] } },
        ],
      },
      user([
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: true,
          cache_control: { type: 'ephemeral' },
          content: [
            { type: 'text', text: 'The station does not answer.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          ],
        },
        { type: 'text', text: 'Try another one, please.', cache_control: { type: 'ephemeral' } },
      ]),
    ],
    tools: [
      {
        name: 'weather',
        description: 'Looks the weather up.',
        input_schema: SCHEMA,
        input_examples: [{ city: 'Lima', days: [2] }],
        eager_input_streaming: true,
      },
      { name: 'clock', description: 'Tells the time.', input_schema: SCHEMA, strict: true },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  },
  'images and documents': {
    max_tokens: 100,
    messages: [
      user([
        { type: 'image', source: { type: 'url', url: 'https://media.test/picture.png' } },
        {
          type: 'document',
          title: 'Report of June',
          context: 'It was written in haste.',
          citations: { enabled: true },
          source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        },
        { type: 'document', source: { type: 'url', url: 'https://media.test/document.pdf' } },
        {
          type: 'document',
          title: 'A note',
          source: { type: 'content', content: [{ type: 'text', text: 'The note is short.' }] },
        },
        { type: 'text', text: 'What do these show?' },
      ]),
    ],
  },
  'search results': {
    max_tokens: 100,
    messages: [
      user([
        {
          type: 'search_result',
          source: 'https://news.test/article',
          title: 'What is new',
          content: [{ type: 'text', text: 'Nothing much has happened.' }],
          citations: { enabled: true },
        },
        { type: 'text', text: 'What is new?' },
      ]),
    ],
  },
  'a response with a schema': {
    max_tokens: 100,
    messages: [user('Give me a forecast.')],
    output_config: { format: { type: 'json_schema', schema: SCHEMA }, effort: 'low' },
  },
  'a search': {
    max_tokens: 100,
    messages: [user('What is new?')],
    tools: [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['news.test'],
        user_location: { type: 'approximate', city: 'Bergen', country: 'NO' },
      },
    ],
  },
  'a prefilled response': {
    max_tokens: 100,
    messages: [user('Name three rivers.'), { role: 'assistant', content: 'Rhine, Danube and' }],
  },
};
