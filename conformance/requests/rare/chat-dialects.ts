import { type Bodies, PDF, PNG, SCHEMA, user, WAV } from './samples.ts';

/*
 * Chat requests in the dialects of routers and of OpenAI-compatible APIs: OpenRouter, LiteLLM, Mistral, Groq, Together, Fireworks, Alibaba,
 * vLLM, Z.ai, Google's compatible endpoint.
 */

const ASKED = user('How many is three by four?');
const AGAIN = user('And by five, if you please?');

function history(assistant: object, more: object = {}, results: readonly object[] = []) {
  const messages = [ASKED, { role: 'assistant', content: 'It is a dozen.', ...assistant }, ...results, AGAIN];
  return { ...more, messages };
}

const WEATHER = { name: 'weather', description: 'Looks the weather up.', parameters: SCHEMA };
const CALL = { id: 'call_oslo', function: { name: 'weather', arguments: { city: 'Oslo', days: [3, 5] } } };
const RESULT = { role: 'tool', tool_call_id: 'call_oslo', content: 'Snow and eleven degrees below.' };

const EFFORTS: Bodies = Object.fromEntries(
  [
    { reasoning_effort: 'default' },
    { reasoning_effort: 'none' },
    { reasoning_effort: 'minimal' },
    { reasoning_effort: 'xhigh' },
    { reasoning: { enabled: true } },
    { reasoning: { enabled: false } },
    { reasoning: { effort: 'high', exclude: true } },
    { reasoning: { max_tokens: 2_222 } },
    { reasoning: { effort: 'a-word-of-tomorrow', summary: 'a-summary-of-tomorrow', generate_summary: 'auto' } },
    { reasoning: 'a-text-and-no-object' },
    { thinking: { type: 'enabled', budget_tokens: 2_345 } },
    { thinking: { type: 'disabled' } },
    { thinking: { type: 'a-type-of-tomorrow' } },
    { enable_thinking: true, thinking_budget: 2_048 },
    { enable_thinking: false },
    { enable_thinking: 'a-text-and-no-flag', thinking_budget: '2048-as-a-text' },
    { include_reasoning: false },
    { include_reasoning: 'a-text-and-no-flag' },
    { chat_template_kwargs: { enable_thinking: true, thinking_budget: 2_111, custom_argument: 'of-the-template' } },
    { chat_template_kwargs: { thinking: false } },
    { chat_template_kwargs: { reasoning_effort: 'low' } },
    {
      google: {
        thinking_config: { thinking_budget: 2_555, include_thoughts: true },
        cached_content: 'cachedContents/1',
      },
    },
    { extra_body: { google: { thinking_config: { thinking_level: 'low', include_thoughts: true } } } },
    { extra_body: { top_k: 41, guided_choice: ['yes-choice', 'no-choice'] } },
    { reasoning_format: 'parsed' },
    { prompt_mode: 'reasoning' },
  ].map((body) => [`thinking as ${JSON.stringify(body)}`, { messages: [ASKED], ...body }]),
);

const THOUGHTS: Bodies = {
  'thoughts as reasoning': history({ reasoning: 'Three fours make a dozen.' }),
  'thoughts under both names': history({
    reasoning: 'Three fours.',
    reasoning_content: 'Four threes, and not the same.',
  }),
  'thoughts of other types': history({
    reasoning: { text: 'a-thought-in-an-object' },
    reasoning_content: ['in-a-list'],
  }),
  'thoughts of Claude in details': history({
    reasoning: 'Three fours make a dozen.',
    reasoning_details: [
      { type: 'reasoning.text', text: 'Three fours ', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'make a dozen.', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', signature: 'c2lnbmVkLWJ5LWNsYXVkZQ==', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'cmVkYWN0ZWQtYnktY2xhdWRl', format: 'anthropic-claude-v1', index: 1 },
    ],
  }),
  'thoughts of Gemini in details': history(
    {
      content: null,
      tool_calls: [CALL],
      reasoning_details: [
        { type: 'reasoning.text', text: 'They want the weather.', format: 'google-gemini-v1', index: 0 },
        {
          type: 'reasoning.encrypted',
          data: 'c2lnbmVkLWJ5LWdlbWluaQ==',
          id: 'call_oslo',
          format: 'google-gemini-v1',
          index: 1,
        },
      ],
    },
    { tools: [{ function: WEATHER }] },
    // OpenAI rejects a call without a result.
    [RESULT],
  ),
  'thoughts of OpenAI in details': history({
    reasoning_details: [
      {
        type: 'reasoning.summary',
        summary: 'A sum of threes and fours.',
        id: 'rs_1',
        format: 'openai-responses-v1',
        index: 0,
      },
      {
        type: 'reasoning.encrypted',
        data: 'ZW5jcnlwdGVkLWJ5LW9wZW5haQ==',
        id: 'rs_1',
        format: 'openai-responses-v1',
        index: 0,
      },
    ],
  }),
  'thoughts of xAI in details': history({
    reasoning_details: [
      { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVkLWJ5LXhhaQ==', format: 'xai-responses-v1', index: 0 },
    ],
  }),
  'thoughts in unknown details': history({
    reasoning_details: [{ type: 'reasoning.server_tool_call', name: 'a-tool-of-the-router', id: 'st_1' }, 'no-object'],
  }),
  'thoughts in blocks of LiteLLM': history({
    reasoning_content: 'Three fours make a dozen.',
    thinking_blocks: [
      { type: 'thinking', thinking: 'Three fours make a dozen.', signature: 'c2lnbmVkLWJ5LWNsYXVkZQ==' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQtYnktY2xhdWRl' },
    ],
    provider_specific_fields: { citations: ['a-source-of-litellm'] },
  }),
  'thoughts in the content, of Mistral': history({
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Three fours make a dozen.' }], closed: true },
      { type: 'text', text: 'It is a dozen.' },
    ],
  }),
  'thoughts in the content, of Claude': history({
    content: [
      { type: 'thinking', thinking: 'Three fours make a dozen.', signature: 'c2lnbmVkLWJ5LWNsYXVkZQ==' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQtYnktY2xhdWRl' },
      { type: 'text', text: 'It is a dozen.' },
    ],
  }),
  'thoughts in tags': history({ content: '<think>Three fours make a dozen.</think>It is a dozen.' }),
};

const EPHEMERAL = { type: 'ephemeral' };

const MARKS: Bodies = {
  'cache marks everywhere': {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Answer as a pirate would.', cache_control: EPHEMERAL }] },
      user('Who is there, please?', { cache_control: { type: 'ephemeral', ttl: '1h' } }),
      { role: 'assistant', content: null, tool_calls: [CALL], cache_control: EPHEMERAL },
      { ...RESULT, cache_control: EPHEMERAL },
      user([{ type: 'text', text: 'And who is there now?', cache_control: EPHEMERAL }]),
    ],
    tools: [{ type: 'function', function: WEATHER, cache_control: EPHEMERAL }],
  },
  'cache marks in a function, and odd ones': {
    messages: [
      user('Who is there, please?', {
        cache_control: { type: 'a-type-of-tomorrow', ttl: '24h-of-tomorrow', scope: 'all' },
      }),
      { role: 'assistant', content: 'Only the parrot is here.', cache_control: { type: 'ephemeral', ttl: '5m' } },
      user([{ type: 'text', text: 'And who is there now?', cache_control: 'a-text-and-no-mark' }]),
    ],
    tools: [{ type: 'function', function: { ...WEATHER, cache_control: EPHEMERAL } }],
  },
};

const TOOLS: Bodies = {
  'tools without a type': {
    messages: [ASKED, { role: 'assistant', tool_calls: [CALL] }, RESULT],
    tools: [{ function: WEATHER }],
    tool_choice: { function: { name: 'weather' } },
    parallel_tool_calls: null,
  },
  'tools in the form of the Responses API': {
    messages: [ASKED],
    tools: [{ type: 'function', ...WEATHER, strict: true }],
    tool_choice: { type: 'function', name: 'weather' },
  },
  "tools in Anthropic's form": {
    messages: [ASKED],
    tools: [{ type: 'function', function: { name: 'weather', description: 'Looks it up.', input_schema: SCHEMA } }],
    tool_choice: { type: 'tool', name: 'weather', x_invented: 'beside-the-name' },
  },
  'a call under both names, and an empty one': {
    messages: [
      ASKED,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ ...CALL, type: 'function', custom: { name: '', input: '' } }],
        function_call: { name: '', arguments: '' },
        refusal: '',
        audio: null,
      },
      RESULT,
    ],
    tools: [{ type: 'function', function: WEATHER }],
  },
  'calls without ids': {
    messages: [
      ASKED,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', name: 'weather', content: 'Snow all over the place.' },
    ],
    tools: [{ type: 'function', function: WEATHER }],
  },
  'odd members of a tool': {
    messages: [ASKED],
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: ['in-a-list'], parameters: 'no-schema', strict: 'no-flag' },
      },
    ],
  },
};

const ANSWERS: Bodies = Object.fromEntries(
  [
    { type: 'json_object', schema: SCHEMA },
    { type: 'json_schema', schema: SCHEMA, name: 'forecast_for_days', strict: true },
    { type: 'json_object', response_schema: SCHEMA, enforce_validation: true },
    { type: 'json_schema', json_schema: { name: 'forecast_for_days', schema: SCHEMA, strict: 'no-flag' } },
    { type: 'grammar', grammar: 'root ::= "yes"' },
    { type: 'regex', pattern: '(yes|no)' },
  ].map((response_format) => [
    `an answer by ${Object.keys(response_format).join(', ')} of ${response_format.type}`,
    { messages: [ASKED], response_format },
  ]),
);

const data = (type: string, bytes: string) => `data:${type};base64,${bytes}`;

const BLOCKS: Bodies = Object.fromEntries(
  [
    { type: 'file_url', file_url: { url: data('application/pdf', PDF) } },
    { type: 'document_url', document_url: data('application/pdf', PDF), document_name: 'report of june.pdf' },
    {
      type: 'file',
      file: { file_data: PDF, file_id: 'file-8812', filename: 'report of june.pdf', format: 'application/pdf' },
    },
    { type: 'file', file_id: 'file-8812' },
    { type: 'input_file', file_data: data('application/pdf', PDF), filename: 'report of june.pdf' },
    { type: 'input_text', text: 'What is to be seen?' },
    { type: 'input_image', image_url: data('image/png', PNG), detail: 'high' },
    { type: 'input_image', file_id: 'file-8813' },
    { type: 'image_url', image_url: data('image/png', PNG) },
    { type: 'image_url', image_url: { url: data('image/png', PNG), format: 'image/png', detail: 'low' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'image', image: data('image/png', PNG) },
    { type: 'input_audio', input_audio: WAV },
    { type: 'input_audio', input_audio: { data: WAV, format: 'wav', sample_rate: 16_001 } },
    { type: 'audio_url', audio_url: { url: data('audio/wav', WAV) } },
    { type: 'video_url', video_url: { url: 'https://media.test/film.mp4', fps: 3 } },
    { type: 'input_video', video_url: { url: 'https://media.test/film.mp4' } },
    { type: 'video', video: ['https://media.test/1.png', 'https://media.test/2.png'] },
    { type: 'document', document: { id: 'doc_1', data: 'The text of a document.' } },
    { type: 'reference', reference_ids: [3, 7] },
  ].map((block) => [
    `a block ${JSON.stringify(block).slice(0, 70)}`,
    { messages: [user([{ type: 'text', text: 'What do these show?' }, block])] },
  ]),
);

const MESSAGES: Bodies = {
  'a prefilled response': {
    messages: [ASKED, { role: 'assistant', content: 'It is a', prefix: true, partial: true }],
    safe_prompt: true,
  },
  'an audio response': history({
    content: null,
    audio: { id: 'audio_1', data: WAV, expires_at: 1_760_000_000, transcript: 'It is a dozen, I said.' },
  }),
  'a response with odd members': history({ name: 7, x_invented: 'beside-the-content', annotations: [], refusal: null }),
  'members of odd types': {
    messages: [ASKED],
    verbosity: 7,
    metadata: 'no-object-of-labels',
    modalities: ['text', 7],
    service_tier: 7,
    prompt_cache_key: 8,
    safety_identifier: 9,
    web_search_options: 'no-object-of-options',
    functions: { no: 'list-of-functions' },
  },
};

/** Keyed by topic. */
export const CHAT_DIALECTS: Bodies = {
  ...EFFORTS,
  ...THOUGHTS,
  ...MARKS,
  ...TOOLS,
  ...ANSWERS,
  ...BLOCKS,
  ...MESSAGES,
};
