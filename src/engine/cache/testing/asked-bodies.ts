import { Failure } from '../../../domain/failure/failure.ts';
import { clientFormats } from '../../../formats/index.ts';
import { atOnce } from '../../../formats/shared/request/steps.ts';
import { digestsOf } from '../canonical-request.ts';
import type { Json } from './body-changes.ts';

const utf8 = new TextEncoder();

/**
 * Returns the digest of a client's request by the text of its body; `null` if the request is refused. A body that the gateway cannot read
 * exactly, which the cache ignores, gives a unique text.
 */
export function digestOf(format: string, text: string): string | null {
  const spoken = clientFormats.get(format);
  if (spoken === undefined) throw new Error(`there is no client format ${format}`);
  const isGemini = format === 'gemini';
  const call = { purpose: 'generate', model: isGemini ? 'm' : null, stream: isGemini ? false : null } as const;
  const parsed = spoken.parseRequest(utf8.encode(text), { ...call, framing: 'sse' });
  if (parsed instanceof Failure) return null;
  const { scan } = parsed;
  if (scan !== undefined && scan.inexact.length + scan.duplicates.length > 0) return `inexact ${text}`;
  const request = spoken.decodeRequest(parsed);
  return request instanceof Failure ? null : atOnce(digestsOf(request, ['scope', parsed.model], null)).whole;
}

const SCHEMA: Json = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Oslo', 'Rome'] }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
};
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const PDF = 'JVBERi0xLjQKJSVFT0YK';

const CHAT: Json = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: [{ type: 'text', text: 'And kind.', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'What is here?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
        { type: 'image_url', image_url: { url: 'https://pictures.example/one.png' } },
        { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      ],
    },
    {
      role: 'assistant',
      content: 'Let me look.',
      reasoning_content: 'Two places.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo","days":3}' } },
        { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome","days":4}' } },
        { id: 'call_3', type: 'custom', custom: { name: 'shell', input: 'ls' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Snow.' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: '{"sun":true}' }] },
    { role: 'tool', tool_call_id: 'call_3', content: 'a.txt' },
  ],
  tools: [
    { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA, strict: true } },
    { type: 'custom', custom: { name: 'shell', description: 'Runs it.', format: { type: 'text' } } },
  ],
  tool_choice: 'required',
  parallel_tool_calls: false,
  max_tokens: 90,
  max_completion_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  frequency_penalty: 0.1,
  presence_penalty: 0.2,
  seed: 7,
  stop: ['\n\n', 'END'],
  n: 2,
  logprobs: true,
  top_logprobs: 3,
  logit_bias: { '50256': -100 },
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'place', description: 'A place.', schema: SCHEMA, strict: true },
  },
  reasoning_effort: 'low',
  verbosity: 'low',
  stream: false,
  stream_options: { include_usage: true },
  store: true,
  user: 'ann',
  metadata: { purpose: 'a test' },
  service_tier: 'default',
  prompt_cache_key: 'k',
  prompt_cache_retention: '24h',
  prediction: { type: 'content', content: 'Snow.' },
  cache_control: { type: 'default', max_age: 60 },
  guided_regex: '[a-z]+',
};

const RESPONSES: Json = {
  model: 'm',
  instructions: 'Be brief.',
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is here?' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Two places.' }],
      encrypted_content: 'c2VjcmV0',
    },
    {
      type: 'function_call',
      id: 'fc_1',
      status: 'completed',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Oslo"}',
    },
    { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'custom_tool_call', call_id: 'call_3', name: 'shell', input: 'ls' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Snow.' },
    { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'Sun.' }] },
    { type: 'custom_tool_call_output', call_id: 'call_3', output: 'a.txt' },
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Both.', annotations: [] }],
    },
    { role: 'user', content: 'Again.' },
  ],
  tools: [
    { type: 'function', name: 'weather', description: 'Tells it.', parameters: SCHEMA, strict: true },
    {
      type: 'custom',
      name: 'shell',
      description: 'Runs it.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', city: 'Oslo' } },
  ],
  tool_choice: { type: 'function', name: 'weather' },
  parallel_tool_calls: false,
  max_output_tokens: 100,
  max_tool_calls: 3,
  temperature: 0.5,
  top_p: 0.9,
  top_logprobs: 2,
  include: ['message.output_text.logprobs', 'web_search_call.action.sources'],
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'place', schema: SCHEMA, strict: true } },
  reasoning: { effort: 'low', summary: 'auto' },
  truncation: 'auto',
  stream: false,
  store: false,
  user: 'ann',
  safety_identifier: 's',
  metadata: { purpose: 'a test' },
  service_tier: 'default',
  prompt_cache_key: 'k',
};

const MESSAGES: Json = {
  model: 'm',
  max_tokens: 3000,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is here?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          title: 'A',
          context: 'Old.',
          citations: { enabled: true },
          source: { type: 'text', media_type: 'text/plain', data: 'Once.' },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two places.', signature: 'c2lnbmF0dXJl' },
        { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo', days: 3 } },
        { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Rome', days: 4 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Snow.', cache_control: { type: 'ephemeral' } },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          is_error: true,
          content: [
            { type: 'text', text: 'None.' },
            { type: 'image', source: { type: 'url', url: 'https://pictures.example/one.png' } },
          ],
        },
      ],
    },
  ],
  tools: [
    { name: 'weather', description: 'Tells it.', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['example.com', 'example.org'] },
  ],
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  temperature: 1,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: ['END', 'STOP'],
  thinking: { type: 'enabled', budget_tokens: 2048 },
  metadata: { user_id: 'ann' },
  service_tier: 'auto',
  stream: false,
};

const GEMINI: Json = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'What is here?' },
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { fileData: { mimeType: 'application/pdf', fileUri: 'https://files.example/a.pdf' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'Two places.', thought: true },
        { functionCall: { name: 'weather', args: { city: 'Oslo', days: 3 } }, thoughtSignature: 'c2lnbmF0dXJl' },
        { functionCall: { name: 'search', args: { words: 'Rome' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'weather',
            response: { snow: true },
            parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
          },
        },
        { functionResponse: { name: 'search', response: { output: 'Sun.' } } },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        { name: 'weather', description: 'Tells it.', parametersJsonSchema: SCHEMA },
        {
          name: 'search',
          description: 'Finds it.',
          parameters: { type: 'OBJECT', properties: { words: { type: 'STRING' } } },
        },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather', 'search'] } },
  generationConfig: {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    candidateCount: 2,
    maxOutputTokens: 100,
    stopSequences: ['END', 'STOP'],
    responseMimeType: 'application/json',
    responseJsonSchema: SCHEMA,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    seed: 7,
    responseLogprobs: true,
    logprobs: 3,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
    responseModalities: ['TEXT', 'IMAGE'],
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  cachedContent: 'cachedContents/1',
  labels: { purpose: 'a test' },
};

const COMPLETIONS: Json = {
  model: 'm',
  prompt: ['Once', 'Twice'],
  suffix: 'end.',
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  n: 2,
  best_of: 3,
  echo: true,
  logprobs: 3,
  seed: 7,
  stop: ['END', 'STOP'],
  frequency_penalty: 0.1,
  presence_penalty: 0.2,
  logit_bias: { '50256': -100 },
  stream: false,
  user: 'ann',
};

/** A request in each client format that covers most of its members. */
export const ASKED_BODIES: Readonly<Record<string, Json>> = {
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
  'anthropic-messages': MESSAGES,
  gemini: GEMINI,
  'openai-completions': COMPLETIONS,
};
