import { asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import {
  ANSWER,
  bodyOf,
  checkedOn,
  contentTypes,
  conversation,
  knownMembers,
  knownMessageMembers,
  messagesOf,
  oneAnswer,
  oneOf,
  refusedMembers,
  TOOL,
  toolTypes,
  USER,
  wordOrFunction,
} from '../shared/chat-rules.ts';

const DOCUMENT = checkedOn('specs/groq.openapi.yaml');
const COMPATIBILITY = checkedOn('https://hexdocs.pm/nexlm/Nexlm.Providers.Groq.html');
const QWEN = { label: 'Qwen', models: /qwen/ };

const MEMBERS = [
  ...[
    'messages',
    'model',
    'disable_tool_validation',
    'frequency_penalty',
    'include_reasoning',
    'logit_bias',
    'logprobs',
  ],
  ...[
    'top_logprobs',
    'max_tokens',
    'max_completion_tokens',
    'n',
    'presence_penalty',
    'response_format',
    'seed',
    'stop',
  ],
  ...[
    'service_tier',
    'reasoning_effort',
    'reasoning_format',
    'stream',
    'stream_options',
    'temperature',
    'top_p',
    'tools',
  ],
  ...[
    'tool_choice',
    'parallel_tool_calls',
    'user',
    'function_call',
    'functions',
    'metadata',
    'store',
    'include_domains',
  ],
  ...['exclude_domains', 'search_settings', 'compound_custom', 'documents', 'citation_options'],
];

const names: Rule = {
  id: 'participant-names',
  statement: 'Messages must not have a `name`.',
  source: COMPATIBILITY,
  refuses: (request) =>
    messagesOf(request).some(({ name }) => name !== undefined) ? "property 'name' is unsupported" : null,
  examples: { refused: [conversation({ ...USER, name: 'ann' })] },
};

const rawReasoning: Rule = {
  id: 'raw-reasoning',
  statement: 'With tools or a JSON format, `reasoning_format` must be `parsed` or `hidden`.',
  family: QWEN,
  source: checkedOn('https://console.groq.com/docs/reasoning', '2026-11-29'),
  refuses(request) {
    const { tools, response_format: format, reasoning_format: reasoning } = bodyOf(request);
    const isStructured = tools !== undefined || String(asObject(format).type).startsWith('json');
    return isStructured && reasoning !== 'parsed' && reasoning !== 'hidden'
      ? 'reasoning_format must be set to hidden or parsed with JSON mode or tool calling'
      : null;
  },
  examples: {
    refused: [{ body: { tools: [TOOL] } }],
    accepted: [{ body: { tools: [TOOL], reasoning_format: 'parsed' } }],
  },
};

const earlierReasoning: Rule = {
  id: 'earlier-reasoning',
  statement: 'Earlier reasoning is accepted only by reasoning models.',
  family: { label: 'Models that do not think', models: /^(?!.*(?:gpt-oss|qwen))/ },
  source: checkedOn('https://github.com/vercel/ai/pull/8057'),
  refuses(request) {
    const index = messagesOf(request).findIndex(({ reasoning }) => reasoning !== undefined);
    return index < 0 ? null : `messages[${index}].reasoning: reasoning is not supported with this model`;
  },
  examples: { refused: [conversation(USER, { ...ANSWER, reasoning: 'Hm.' }, USER)] },
};

export const groq: StrictUpstream = {
  name: 'groq',
  label: 'Groq, chat completions',
  provider: 'groq',
  wire: 'openai-chat',
  models: ['openai/gpt-oss-120b', 'qwen/qwen3.8-27b', 'groq/compound'],
  rules: [
    knownMembers({ source: DOCUMENT }, MEMBERS, (member) => `property '${member}' is unsupported`),
    contentTypes(
      { source: DOCUMENT },
      ['text', 'image_url', 'document'],
      (type) =>
        `'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content.0.type' : value is not one of the allowed values, not '${type}')]`,
    ),
    toolTypes(
      { source: DOCUMENT },
      ['function', 'browser_search', 'code_interpreter'],
      (type, index) => `'tools.${index}.type' : value is not one of the allowed values, not '${type}'`,
    ),
    wordOrFunction(
      { source: DOCUMENT },
      ['auto', 'none', 'required'],
      "'tool_choice' : one of the following must be satisfied",
    ),
    names,
    knownMessageMembers(
      { source: checkedOn('https://github.com/janhq/jan/issues/8136') },
      {
        system: ['role', 'content', 'name'],
        user: ['role', 'content', 'name'],
        assistant: ['role', 'content', 'reasoning', 'name', 'tool_calls', 'function_call'],
        tool: ['role', 'content', 'tool_call_id'],
      },
      (index, member) =>
        `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property '${member}' is unsupported)]`,
    ),
    refusedMembers(
      'unsupported-parameters',
      { source: COMPATIBILITY },
      { logprobs: true, top_logprobs: 2, logit_bias: { '5': 1 } },
      (member) => `property '${member}' is unsupported`,
    ),
    oneAnswer({ source: DOCUMENT }, "'n' : number must be at most 1"),
    rawReasoning,
    earlierReasoning,
    oneOf(
      { source: DOCUMENT, family: { label: 'gpt-oss', models: /gpt-oss/ } },
      'reasoning_effort',
      ['low', 'medium', 'high'],
      () => '`reasoning_effort` must be one of `low`, `medium`, or `high`',
    ),
    {
      ...oneOf(
        { source: DOCUMENT, family: QWEN },
        'reasoning_effort',
        ['none', 'default'],
        () => '`reasoning_effort` must be one of `none` or `default`',
      ),
      id: 'reasoning-effort-of-qwen',
    },
  ],
  envelope: (message) => ({ error: { message, type: 'invalid_request_error' } }),
};
