import { type Bodies, PDF, PNG, SCHEMA } from './samples.ts';

export const RESPONSES: Bodies = {
  'an image with a document type, and the reverse': {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Compare the two scans.' },
          { type: 'input_file', filename: 'first scan.pdf', file_data: `data:application/pdf;base64,${PNG}` },
          { type: 'input_image', image_url: `data:image/png;base64,${PDF}`, detail: 'high' },
        ],
      },
    ],
  },
  'hosted tools': {
    input: 'Look it up.',
    tools: [{ type: 'file_search', vector_store_ids: ['vs_7711'], max_num_results: 3 }],
  },
  'a stored prompt': { prompt: { id: 'pmpt_7711', variables: { city: 'Oslo' } } },
  'a tool with free-form input': {
    input: [
      { role: 'user', content: 'Run it.' },
      { type: 'custom_tool_call', call_id: 'call_1', name: 'run', input: 'print(42)' },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'forty-two' },
    ],
    tools: [{ type: 'custom', name: 'run', description: 'Runs a program.', format: { type: 'text' } }],
  },
  'default values': {
    input: 'Say nothing new to me.',
    truncation: 'disabled',
    service_tier: 'auto',
    top_logprobs: 0,
    stream_options: { include_obfuscation: false },
    reasoning: { effort: 'low', generate_summary: 'auto' },
  },
  'every parameter': {
    input: 'Say a number between three and nine.',
    instructions: 'Be as brief as you can.',
    temperature: 0.3,
    top_p: 0.85,
    max_output_tokens: 333,
    max_tool_calls: 7,
    top_logprobs: 3,
    include: ['message.output_text.logprobs'],
    user: 'user-8731',
    safety_identifier: 'person-5512',
    prompt_cache_key: 'cache-key-9921',
    metadata: { purpose: 'a-test-of-losses' },
    service_tier: 'flex',
    truncation: 'auto',
    text: { verbosity: 'low' },
    background: false,
    x_invented: { deep: [{ leaf: 'invented-leaf-text' }] },
  },
  'a tool loop': {
    reasoning: { effort: 'high', summary: 'concise' },
    input: [
      { role: 'developer', content: 'Answer as a pirate would.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is the weather like?' }] },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Both places have to be looked up.' }],
        encrypted_content: 'gAAAA-encrypted-reasoning',
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Oslo","days":[3]}',
      },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'Snow, as the picture shows.' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'high' },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        id: 'msg_1',
        content: [{ type: 'output_text', text: 'Snow it is.', annotations: [] }],
      },
      { role: 'system', content: 'From now on answer as a poet would.' },
      { role: 'user', content: 'Tell me more of it.' },
    ],
    tools: [
      { type: 'function', name: 'weather', description: 'Looks the weather up.', parameters: SCHEMA, strict: true },
    ],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
  },
  'images and documents': {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'https://media.test/picture.png', detail: 'low' },
          { type: 'input_file', filename: 'report of june.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          { type: 'input_file', file_url: 'https://media.test/document.pdf' },
          { type: 'input_text', text: 'What do these show?' },
        ],
      },
    ],
  },
  'a response with a schema': {
    input: 'Give me a forecast.',
    text: {
      format: {
        type: 'json_schema',
        name: 'forecast_for_days',
        description: 'A forecast, day by day',
        strict: true,
        schema: SCHEMA,
      },
    },
  },
  'a search': {
    input: 'What is new?',
    tools: [
      {
        type: 'web_search',
        search_context_size: 'high',
        filters: { allowed_domains: ['news.test'] },
        user_location: { type: 'approximate', city: 'Bergen', country: 'NO' },
      },
    ],
  },
};
