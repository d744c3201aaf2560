import type { ClientFormat } from '../readers/index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = 'JVBERi0xLjQKJSVFT0YK';
const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where it is asked for', enum: ['Oslo', 'Lima'] },
    days: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 14 }, minItems: 1 },
    unit: { anyOf: [{ type: 'string', pattern: '^[CF]$' }, { type: 'null' }], default: 'C' },
  },
  required: ['city', 'days'],
  additionalProperties: false,
};

type Bodies = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const user = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });

const CHAT: Bodies = {
  'every knob': {
    messages: [user('Say a number between three and nine.')],
    temperature: 0.3,
    top_p: 0.85,
    frequency_penalty: 0.25,
    presence_penalty: -0.75,
    seed: 4711,
    max_completion_tokens: 333,
    logit_bias: { '1734': -100 },
    user: 'user-8731',
    safety_identifier: 'person-5512',
    prompt_cache_key: 'cache-key-9921',
    prompt_cache_retention: '24h',
    metadata: { purpose: 'a-test-of-losses' },
    service_tier: 'flex',
    verbosity: 'low',
    store: true,
    x_invented: { deep: [{ leaf: 'invented-leaf-text' }] },
  },
  'participants and instructions midway': {
    messages: [
      { role: 'developer', content: 'Answer as a pirate would.', name: 'captain' },
      user('Who is there, please?', { name: 'alice_smith' }),
      { role: 'assistant', content: 'Only the parrot is here.', name: 'polly' },
      { role: 'system', content: 'From now on answer as a poet would.' },
      user([{ type: 'text', text: 'And who is there now?', x_invented: 'beside-the-text' }], { name: 'bob_jones' }),
    ],
  },
  'pictures and documents': {
    messages: [
      user([
        { type: 'text', text: 'What do these show?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
        { type: 'image_url', image_url: { url: 'https://media.test/picture.png', detail: 'low' } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}`, filename: 'report of june.pdf' } },
      ]),
    ],
  },
  'stop and candidates': { messages: [user('Count to twenty.')], stop: ['eleven', 'twelve'], n: 1, max_tokens: 64 },
  'log probabilities': { messages: [user('Say yes or no.')], logprobs: true, top_logprobs: 4 },
  'a tool loop': {
    messages: [
      user('What is the weather like?'),
      {
        role: 'assistant',
        content: 'I will look both places up.',
        tool_calls: [
          {
            id: 'call_oslo',
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Oslo","days":[3,5]}' },
          },
          { id: 'call.with:odd/id', type: 'function', function: { name: 'weather', arguments: '{"city": "Lima"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_oslo', content: 'Snow and eleven degrees below.' },
      { role: 'tool', tool_call_id: 'call.with:odd/id', content: [{ type: 'text', text: 'Mild, seventeen degrees.' }] },
      user('Which of them is colder?'),
    ],
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Looks the weather up.', parameters: SCHEMA } },
      {
        type: 'function',
        function: { name: 'clock', description: 'Tells the time.', strict: true, parameters: SCHEMA },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
  },
  'allowed tools': {
    messages: [user('What time is it?')],
    tools: ['weather', 'clock', 'diary'].map((name) => ({
      type: 'function',
      function: { name, description: `Consults the ${name}.`, parameters: { type: 'object', properties: {} } },
    })),
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'clock' } }] },
    },
  },
  'an answer by a schema': {
    messages: [user('Give me a forecast.')],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'forecast_for_days', description: 'A forecast, day by day', strict: true, schema: SCHEMA },
    },
  },
  'earlier reasoning': {
    reasoning_effort: 'high',
    messages: [
      user('How many is three by four?'),
      { role: 'assistant', reasoning_content: 'Three fours make a dozen.', content: 'It is a dozen.' },
      { role: 'assistant', content: null, refusal: 'That I will not say.' },
      user('And by five?'),
    ],
  },
  'an expected output': {
    messages: [user('Repeat the code.')],
    prediction: { type: 'content', content: 'let answer = forty_two;' },
  },
  'a search': {
    messages: [user('What is new?')],
    web_search_options: {
      search_context_size: 'high',
      user_location: { type: 'approximate', approximate: { city: 'Bergen', country: 'NO' } },
    },
  },
  'legacy functions': {
    messages: [
      user('What is the weather like?'),
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { role: 'function', name: 'weather', content: 'Snow all over the place.' },
    ],
    functions: [{ name: 'weather', description: 'Looks the weather up.', parameters: SCHEMA }],
    function_call: { name: 'weather' },
  },
};

const RESPONSES: Bodies = {
  'every knob': {
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
  'pictures and documents': {
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
  'an answer by a schema': {
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

const MESSAGES: Bodies = {
  'every knob': {
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
  'pictures and documents': {
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
  'an answer by a schema': {
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
  'the beginning of an answer': {
    max_tokens: 100,
    messages: [user('Name three rivers.'), { role: 'assistant', content: 'Rhine, Danube and' }],
  },
};

const GEMINI: Bodies = {
  'every knob': {
    system_instruction: { parts: [{ text: 'Be as brief as you can.' }] },
    contents: [{ parts: [{ text: 'Say a number between three and nine.' }] }],
    generation_config: {
      temperature: 0.3,
      top_p: 0.85,
      top_k: 44,
      seed: 4711,
      max_output_tokens: 333,
      presence_penalty: 0.25,
      frequency_penalty: -0.75,
      stop_sequences: ['eleven'],
      candidate_count: 1,
      media_resolution: 'MEDIA_RESOLUTION_LOW',
    },
    safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    labels: { purpose: 'a-test-of-losses' },
  },
  'log probabilities': {
    contents: [{ role: 'user', parts: [{ text: 'Say yes or no.' }] }],
    generationConfig: { responseLogprobs: true, logprobs: 4 },
  },
  'a tool loop': {
    contents: [
      { role: 'user', parts: [{ text: 'What is the weather like?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Both places have to be looked up.', thought: true },
          { functionCall: { name: 'weather', args: { city: 'Oslo', days: [3, 5] } }, thoughtSignature: 'c2lnbmF0dXJl' },
          { functionCall: { name: 'clock', args: { city: 'Lima' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { degrees: -11, sky: 'Snow all over the place.' } } },
          { functionResponse: { name: 'clock', response: { error: 'The clock has stopped.' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'Which of them is colder?' }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', description: 'Looks the weather up.', parametersJsonSchema: SCHEMA },
          {
            name: 'clock',
            description: 'Tells the time.',
            behavior: 'BLOCKING',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } } },
            response: { type: 'OBJECT', properties: { time: { type: 'STRING', description: 'The time of day' } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather', 'clock'] } },
    generationConfig: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
  },
  'pictures and documents': {
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'What do these show?' },
          { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'the picture' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://media.test/document.pdf' } },
          { inline_data: { mime_type: 'application/pdf', data: PDF } },
        ],
      },
    ],
  },
  'an answer by a schema': {
    contents: [{ role: 'user', parts: [{ text: 'Give me a forecast.' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
  },
  'a choice of words': {
    contents: [{ role: 'user', parts: [{ text: 'Is it warm or cold?' }] }],
    generationConfig: { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['warm', 'cold'] } },
  },
  'a search': { contents: [{ role: 'user', parts: [{ text: 'What is new?' }] }], tools: [{ googleSearch: {} }] },
};

/** Requests with members that recordings have seldom or never, by what they are about. */
export const RARE_REQUESTS: Readonly<Record<ClientFormat, Bodies>> = {
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
  'anthropic-messages': MESSAGES,
  gemini: GEMINI,
};
