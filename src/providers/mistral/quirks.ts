import type { Quirk } from '../../formats/quirk.ts';
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
    why: 'Mistral answers `max_completion_tokens` with a 422; its bound is called `max_tokens`.',
  },
  {
    kind: 'omit',
    field: 'stream_options',
    isServed: true,
    why: 'Mistral answers `include_usage` with a 422; usage always comes with the last chunk of a stream.',
  },
  {
    kind: 'tool-call-ids',
    pattern: /^[a-zA-Z0-9]{9}$/,
    length: 9,
    why: 'Mistral answers other tool call ids with a 400: they must be nine letters and digits.',
  },
  {
    kind: 'message-order',
    rule: 'answered-results',
    why: 'Mistral answers a message of the user after the result of a tool call with error 3230.',
  },
  ...lacks(
    ['system-prompt-midway'],
    'approximated',
    'Mistral answers a system message after another role with error 3230, so it is sent as a message of the user.',
  ),
  {
    kind: 'bounds',
    field: 'temperature',
    least: 0,
    most: 1.5,
    why: 'The OpenAPI document has temperatures from 0 to 1.5, and others are answered with a 422.',
  },
  {
    kind: 'function-parameters',
    why: 'The OpenAPI document requires `parameters` of a function; without them it is answered with a 422.',
  },
  {
    kind: 'prefill',
    member: 'prefix',
    why: 'Mistral answers a last message of the assistant without `prefix: true` with a 400.',
  },
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The OpenAPI document has `reasoning_effort`, and refuses members that it does not name.',
  },
  {
    kind: 'reasoning-input',
    field: 'thinking_blocks',
    why: 'Thinking is a chunk of the content at Mistral; `reasoning_content` beside it is answered with a 422.',
  },
  ...quirksOfFamilies(families, 'openai-chat'),
  ...lacks(
    ['logprobs', 'logit-bias', 'user', 'service-tier', 'verbosity'],
    'dropped',
    'The OpenAPI document has no such parameter; log probabilities are answered with error 3051.',
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
    why: 'The OpenAPI document closes requests and messages: members that it does not name are answered with a 422.',
  },
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools', 'output-modalities'],
    'refused',
    'The chat endpoint of Mistral offers text and function tools; its connectors are part of its agents API.',
  ),
  ...has(
    ['reasoning-text', 'reasoning-state'],
    'The OpenAPI document: a thinking chunk may stand in the content of an assistant message.',
  ),
  ...has(
    ['document-url'],
    'The OpenAPI document: a `document_url` chunk takes an address; recorded requests send data URIs in it.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url'],
    'refused',
    'The OpenAPI document has the bytes themselves in `input_audio`, where OpenAI has an object.',
  ),
  ...lacks(['participant-name'], 'dropped', 'Messages of users and assistants have no `name` in the OpenAPI document.'),
];
