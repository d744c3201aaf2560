import type { Feature } from '../../src/domain/exchange/loss.ts';
import type { Quirk } from '../../src/formats/text/quirk.ts';
import { fileBehind } from '../leaves/leaf-values.ts';
import { hi, OBJECT, result, tool } from './shared/client-requests.ts';

/*
 * Requests that show what a quirk is for: each uses what the quirk is about, in the formats that support it.
 */

/** A client's request. */
export interface Probe {
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic-messages';
  readonly body: Readonly<Record<string, unknown>>;
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = 'JVBERi0xLjQKJSVFT0Y=';
const WAV = fileBehind('a.wav').base64;
const url = (ending: string) => `https://example.com/a.${ending}`;
const ID = 'toolu_01A09q90qw90lq917835abcdefghijklmnop';
const CLOSED = { ...OBJECT, required: ['a'], additionalProperties: false };
const ANSWER = { role: 'assistant', content: 'Yes?' };
const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };

const chat = (body: object): Probe => ({ format: 'openai-chat', body: { messages: [hi], ...body } });
/** Audio models require the request to ask for audio. */
const spoken = (body: object) =>
  chat({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' }, ...body });
const said = (...messages: readonly object[]) => chat({ messages });
const shown = (...content: readonly object[]) => said({ role: 'user', content });
const withTool = (more: object) => chat({ tools: [tool(CLOSED)], ...more });
const messages = (body: object): Probe => ({
  format: 'anthropic-messages',
  body: { max_tokens: 4_096, messages: [hi], ...body },
});
const blocks = (...content: readonly object[]) => messages({ messages: [{ role: 'user', content }] });
const document = (source: object) => blocks({ type: 'document', source });
const responses = (body: object): Probe => ({ format: 'openai-responses', body: { input: 'Hi', ...body } });

const call = { id: ID, type: 'function', function: { name: 'look_up', arguments: '{}' } };
const calling = (more: object = {}) => ({ role: 'assistant', content: null, tool_calls: [call], ...more });
const messagesTools = [{ name: 'look_up', input_schema: OBJECT }];
const schema = { type: 'json_schema', json_schema: { name: 'answer', schema: OBJECT, strict: true } };
const named = { type: 'function', function: { name: 'look_up' } };
const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } };

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const efforts = [
  ...EFFORTS.map((reasoning_effort) => chat({ reasoning_effort })),
  ...EFFORTS.map((effort) => responses({ reasoning: { effort } })),
  messages({ thinking: { type: 'disabled' } }),
  messages({ thinking: { type: 'enabled', budget_tokens: 2_000 } }),
  chat({ enable_thinking: true, thinking_budget: 2_000 }),
  chat({ thinking: { type: 'enabled' } }),
  chat({ reasoning: { effort: 'low' } }),
  chat({ chat_template_kwargs: { enable_thinking: false } }),
];
/** Some members are refused only while a model reasons, or only while it does not. */
const whileReasoning = (knobs: object) => [
  chat(knobs),
  ...['none', 'low', 'high'].map((reasoning_effort) => chat({ ...knobs, reasoning_effort })),
  ...['none', 'low', 'high'].map((effort) => responses({ ...knobs, reasoning: { effort } })),
];
const forced = [
  withTool({ tool_choice: named, reasoning_effort: 'high' }),
  withTool({ tool_choice: 'required' }),
  withTool({ tool_choice: 'required', reasoning_effort: 'high' }),
  messages({ thinking: { type: 'adaptive' }, tools: messagesTools, tool_choice: { type: 'any' } }),
];
const reasoningBack = [
  said(hi, ANSWER, hi),
  said(hi, { ...ANSWER, reasoning_content: 'Hm.' }, hi),
  said(hi, { ...ANSWER, reasoning: 'Hm.' }, hi),
  messages({ messages: [hi, { role: 'assistant', content: [THOUGHT, { type: 'text', text: 'Yes?' }] }, hi] }),
  withTool({ messages: [hi, calling(), result(ID)] }),
  withTool({ messages: [hi, calling({ reasoning_content: 'Hm.' }), result(ID)] }),
];

const OF_FEATURE: Readonly<Partial<Record<Feature, readonly Probe[]>>> = {
  temperature: [...whileReasoning({ temperature: 0.3 }), messages({ temperature: 0.3 })],
  'top-p': [...whileReasoning({ top_p: 0.5 }), messages({ top_p: 0.5 })],
  'top-k': [messages({ top_k: 5 })],
  'frequency-penalty': [chat({ frequency_penalty: 0.5 })],
  'presence-penalty': [chat({ presence_penalty: 0.5 })],
  seed: [chat({ seed: 7 })],
  stop: [chat({ stop: ['END'] })],
  'candidate-count': [chat({ n: 2 })],
  logprobs: whileReasoning({ logprobs: true, top_logprobs: 2 }),
  'logit-bias': [chat({ logit_bias: { '5': 1 } })],
  'json-mode': [
    chat({ response_format: { type: 'json_object' } }),
    spoken({ response_format: { type: 'json_object' } }),
  ],
  'json-schema': [chat({ response_format: schema }), spoken({ response_format: schema })],
  verbosity: [chat({ verbosity: 'low' }), responses({ text: { verbosity: 'low' } })],
  'output-modalities': [spoken({})],
  'reasoning-effort': efforts,
  'reasoning-budget': efforts,
  'reasoning-summary': [responses({ reasoning: { effort: 'high', summary: 'detailed' } })],
  'reasoning-state': [
    messages({ thinking: { type: 'adaptive' } }),
    responses({ include: ['reasoning.encrypted_content'] }),
  ],
  'function-tools': [withTool({})],
  'strict-tools': [
    chat({ tools: [tool(OBJECT, 'look_up', { strict: true })] }),
    messages({ tools: [{ ...messagesTools[0], strict: true }] }),
  ],
  'custom-tools': [
    chat({ tools: [{ type: 'custom', custom: { name: 'write', description: 'd' } }] }),
    responses({ tools: [{ type: 'custom', name: 'write', description: 'd' }] }),
  ],
  'web-search': [
    chat({ web_search_options: {} }),
    messages({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
    responses({ tools: [{ type: 'web_search' }] }),
  ],
  'hosted-tools': [
    messages({ tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }),
    responses({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  ],
  'tool-choice': [withTool({ tool_choice: 'auto' }), withTool({ tool_choice: 'none' })],
  'tool-choice-required': forced,
  'tool-choice-named': [
    withTool({ tool_choice: named }),
    messages({ tools: messagesTools, tool_choice: { type: 'tool', name: 'look_up' } }),
  ],
  'tool-choice-allowed': [withTool({ tool_choice: allowed })],
  'parallel-tool-calls': [withTool({ parallel_tool_calls: false })],
  'tool-result-error': [
    messages({
      tools: messagesTools,
      messages: [
        hi,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x', is_error: true }] },
      ],
    }),
  ],
  'system-prompt-midway': [
    said(hi, ANSWER, { role: 'system', content: 'Now.' }, hi),
    said({ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, hi),
    withTool({ messages: [hi, calling(), result(ID), { role: 'system', content: 'Now.' }, hi] }),
  ],
  'participant-name': [said({ ...hi, name: 'ann' })],
  'image-inline': [shown({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } })],
  'image-url': [
    shown({ type: 'image_url', image_url: { url: url('png') } }),
    blocks({ type: 'image', source: { type: 'url', url: url('png') } }),
  ],
  'audio-inline': [shown({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } })],
  'audio-url': [shown({ type: 'audio_url', audio_url: { url: url('wav') } })],
  'video-inline': [shown({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } })],
  'video-url': [shown({ type: 'video_url', video_url: { url: url('mp4') } })],
  'document-inline': [
    document({ type: 'base64', media_type: 'application/pdf', data: PDF }),
    shown({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } }),
  ],
  'document-url': [
    document({ type: 'url', url: url('pdf') }),
    shown({ type: 'document_url', document_url: url('pdf') }),
    responses({ input: [{ role: 'user', content: [{ type: 'input_file', file_url: url('pdf') }] }] }),
  ],
  'document-text': [document({ type: 'text', media_type: 'text/plain', data: 'Hello.' })],
  'provider-file': [
    shown({ type: 'file', file: { file_id: 'file-1' } }),
    document({ type: 'file', file_id: 'file_1' }),
    responses({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }),
  ],
  'cache-marks': [blocks({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } })],
  'cache-key': [chat({ prompt_cache_key: 'k' })],
  user: [chat({ user: 'u-1' })],
  metadata: [chat({ metadata: { a: 'b' } })],
  'service-tier': [chat({ service_tier: 'flex' }), messages({ service_tier: 'standard_only' })],
};

const OF_MEMBER: Readonly<Record<string, readonly Probe[]>> = {
  seed: [chat({ seed: 7 })],
  user: [chat({ user: 'u-1' })],
  max_tokens: [messages({}), chat({ max_tokens: 64 })],
  max_completion_tokens: [chat({ max_completion_tokens: 64 })],
  stream_options: [chat({ stream: true, stream_options: { include_usage: true } })],
  output_format: [messages({ output_format: { type: 'json_schema', schema: CLOSED } })],
  cache_control: [messages({ cache_control: { type: 'ephemeral' } })],
  'functionCall.id': [withTool({ messages: [hi, calling(), result(ID)] })],
  'toolConfig.includeServerSideToolInvocations': [
    responses({ tools: [{ type: 'function', name: 'look_up', parameters: OBJECT }, { type: 'web_search' }] }),
  ],
  reasoning_format: [withTool({})],
  reasoning_split: [chat({})],
};

/** Returns the requests that show what a quirk is for. */
export function probesOf(quirk: Quirk): readonly Probe[] {
  switch (quirk.kind) {
    case 'lacks':
    case 'has':
      return OF_FEATURE[quirk.feature] ?? [];
    case 'rename':
      return OF_MEMBER[quirk.from] ?? [];
    case 'omit':
    case 'set':
      return OF_MEMBER[quirk.field] ?? [];
    case 'bounds':
      return [chat({ [quirk.field]: quirk.most + 0.4 }), chat({ [quirk.field]: 0 })];
    case 'function-parameters':
      return [chat({ tools: [tool()] })];
    case 'role':
      return [said({ role: 'developer', content: 'Be brief.' }, hi)];
    case 'reasoning-input':
      return reasoningBack;
    case 'message-order':
      return [
        said(hi, hi),
        withTool({ messages: [hi, calling(), result(ID), hi] }),
        withTool({ messages: [hi, calling({ content: 'I look.' }), result(ID)] }),
      ];
    case 'unforced-while-thinking':
      return forced;
    case 'closed':
      return [chat({ top_a: 1 }), said(hi, { ...ANSWER, refusal: null, annotations: [] }, hi)];
    case 'prefill':
      return [said(hi, ANSWER)];
    case 'thinking-switch':
    case 'efforts':
      return efforts;
    case 'tool-call-ids':
      return [withTool({ messages: [hi, calling(), result(ID)] })];
    case 'tools-at-rest':
      return [withTool({}), withTool({ reasoning_effort: 'high' })];
    case 'closed-schemas':
      return [messages({ tools: [{ ...messagesTools[0], strict: true }] })];
    case 'reasoning-beside-completion':
      return [];
  }
}
