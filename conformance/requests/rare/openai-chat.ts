import { type Bodies, PDF, PNG, SCHEMA, user, WAV } from './samples.ts';

export const CHAT: Bodies = {
  'an image with a document type, and the reverse': {
    messages: [
      user([
        { type: 'text', text: 'Compare the two scans.' },
        { type: 'file', file: { filename: 'first scan.pdf', file_data: `data:application/pdf;base64,${PNG}` } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PDF}`, detail: 'high' } },
      ]),
    ],
  },
  'parameters at their defaults': {
    messages: [user('How deep is the harbour?')],
    ...{ frequency_penalty: 0, presence_penalty: 0, logit_bias: {}, n: 1, top_k: 0, stop: [], metadata: {} },
    ...{ verbosity: 'medium', service_tier: 'default', modalities: ['text'], parallel_tool_calls: true },
    tools: [{ type: 'function', function: { name: 'sound', parameters: SCHEMA } }],
    tool_choice: 'auto',
  },
  'default values': {
    messages: [user('Say nothing new to me.')],
    modalities: ['text'],
    logprobs: true,
    top_logprobs: 0,
    stream_options: { include_obfuscation: false },
    web_search_options: { user_location: { type: 'approximate', approximate: {} } },
  },
  'every parameter': {
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
  'named participants and instructions midway': {
    messages: [
      { role: 'developer', content: 'Answer as a pirate would.', name: 'captain' },
      user('Who is there, please?', { name: 'alice_smith' }),
      { role: 'assistant', content: 'Only the parrot is here.', name: 'polly' },
      { role: 'system', content: 'From now on answer as a poet would.' },
      user([{ type: 'text', text: 'And who is there now?', x_invented: 'beside-the-text' }], { name: 'bob_jones' }),
    ],
  },
  'images and documents': {
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
  'a response with a schema': {
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
  'audio and video': {
    messages: [
      user([
        { type: 'text', text: 'What is to be heard and seen?' },
        { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
      ]),
    ],
  },
  'a film': { messages: [user([{ type: 'video_url', video_url: { url: 'https://media.test/film.mp4' } }])] },
  'a stored file': { messages: [user([{ type: 'file', file: { file_id: 'file-8812' } }])] },
  'several candidates': { messages: [user('Name a river.')], n: 3 },
  'a tool with free-form input': {
    messages: [
      user('Run it.'),
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'run', input: 'print(42)' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'forty-two' },
    ],
    tools: [{ type: 'custom', custom: { name: 'run', description: 'Runs a program.', format: { type: 'text' } } }],
  },
  'a tool with a dash': {
    messages: [
      user('Where does the tide stand?'),
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read-tide', arguments: '{"pier":7}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Four feet and rising.' },
    ],
    tools: [{ type: 'function', function: { name: 'read-tide', description: 'Reads a gauge.', parameters: SCHEMA } }],
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
