import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { DEVELOPER_IS_SYSTEM, FUNCTIONS_FOR_FREEFORM, has, lacks } from '../shared/quirks.ts';
import { families } from './families.ts';

/** Checked against the vendor's OpenAPI document, in which messages and the request itself allow no unlisted members. */
export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  {
    kind: 'rename',
    from: 'seed',
    to: 'random_seed',
    isRefused: true,
    why: 'The OpenAPI document calls the seed `random_seed`.',
  },
  {
    kind: 'rename',
    from: 'max_completion_tokens',
    to: 'max_tokens',
    isRefused: true,
    why: 'Mistral returns a 422 for `max_completion_tokens`; its limit is `max_tokens`.',
  },
  {
    kind: 'omit',
    field: 'stream_options',
    isServed: true,
    why: 'Mistral returns a 422 for `include_usage`; the last chunk of a stream always has usage.',
  },
  {
    kind: 'tool-call-ids',
    pattern: /^[a-zA-Z0-9]{9}$/,
    length: 9,
    why: 'Mistral returns a 400 for tool-call ids other than nine letters and digits.',
  },
  {
    kind: 'message-order',
    rule: 'answered-results',
    why: 'Mistral returns error 3230 for a user message after a tool result.',
  },
  ...lacks(
    ['system-prompt-midway'],
    'approximated',
    'Mistral returns error 3230 for a system message after another role, so it is sent as a user message.',
  ),
  {
    kind: 'bounds',
    field: 'temperature',
    least: 0,
    most: 1.5,
    why: 'The OpenAPI document allows temperatures from 0 to 1.5; others return a 422.',
  },
  {
    kind: 'function-parameters',
    why: 'The OpenAPI document requires `parameters` in a function; without them Mistral returns a 422.',
  },
  {
    kind: 'prefill',
    member: 'prefix',
    why: 'Mistral returns a 400 for a final assistant message without `prefix: true`.',
  },
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The OpenAPI document has `reasoning_effort`; unknown fields are rejected.',
  },
  {
    kind: 'reasoning-input',
    field: 'thinking_blocks',
    why: 'Mistral’s thinking is a content chunk; `reasoning_content` returns a 422.',
  },
  ...quirksOfFamilies(families, 'openai-chat'),
  ...lacks(
    ['logprobs', 'logit-bias', 'user', 'service-tier', 'verbosity'],
    'dropped',
    'The OpenAPI document does not list this parameter; log probabilities return error 3051.',
  ),
  {
    kind: 'closed',
    members: [
      'model',
      'temperature',
      'top_p',
      'max_tokens',
      'stream',
      'stop',
      'random_seed',
      'metadata',
      'messages',
      'response_format',
      'tools',
      'tool_choice',
      'presence_penalty',
      'frequency_penalty',
      'n',
      'prediction',
      'parallel_tool_calls',
      'prompt_mode',
      'reasoning_effort',
      'guardrails',
      'prompt_cache_key',
      'safe_prompt',
    ],
    messages: {
      system: ['role', 'content'],
      user: ['role', 'content'],
      assistant: ['role', 'content', 'tool_calls', 'prefix'],
      tool: ['role', 'content', 'tool_call_id', 'name'],
    },
    why: 'The OpenAPI document allows no additional fields in requests and messages: an unknown one is a 422.',
  },
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools', 'output-modalities'],
    'refused',
    'The chat endpoint of Mistral offers text and function tools; its connectors are part of its agents API.',
  ),
  ...has(
    ['reasoning-text', 'reasoning-state'],
    'The OpenAPI document: the content of an assistant message can have a thinking chunk.',
  ),
  ...has(
    ['document-url'],
    'The OpenAPI document: a `document_url` chunk takes a URL; recorded requests send data URIs in it.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url'],
    'refused',
    'The OpenAPI document has the bytes in `input_audio`, where OpenAI has an object.',
  ),
  ...lacks(['participant-name'], 'dropped', 'The OpenAPI document: user and assistant messages have no `name`.'),
];
