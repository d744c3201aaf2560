import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { FUNCTIONS_FOR_FREEFORM, has, lacks, OPEN_MODEL_HOST } from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: Groq's OpenAPI document, and the page "OpenAI Compatibility" of console.groq.com. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...has(['service-tier'], 'The OpenAPI document has `service_tier`.'),
  ...lacks(
    ['logprobs', 'logit-bias', 'participant-name'],
    'dropped',
    'The page "OpenAI Compatibility": this field is not supported and returns a 400.',
  ),
  ...lacks(
    ['frequency-penalty', 'presence-penalty'],
    'dropped',
    'The OpenAPI document: no model supports this field yet.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The page "OpenAI Compatibility": `n` must be 1.'),
  {
    kind: 'closed',
    members: [
      'messages',
      'model',
      'disable_tool_validation',
      'frequency_penalty',
      'include_reasoning',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'max_tokens',
      'max_completion_tokens',
      'n',
      'presence_penalty',
      'response_format',
      'seed',
      'service_tier',
      'stop',
      'reasoning_effort',
      'reasoning_format',
      'stream',
      'stream_options',
      'temperature',
      'top_p',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'user',
      'function_call',
      'functions',
      'metadata',
      'store',
      'include_domains',
      'exclude_domains',
      'search_settings',
      'compound_custom',
      'documents',
      'citation_options',
    ],
    messages: {
      system: ['content', 'role', 'name'],
      user: ['content', 'role', 'name'],
      assistant: ['content', 'reasoning', 'role', 'name', 'tool_calls', 'function_call'],
      tool: ['role', 'content', 'tool_call_id'],
      function: ['role', 'content', 'name'],
    },
    why: 'The OpenAPI document allows no additional fields in requests and messages: an unknown one is a 400, "property is unsupported".',
  },
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The OpenAPI document has `reasoning_effort`; Groq returns a 400 for fields of other APIs.',
  },
  ...quirksOfFamilies(families, 'openai-chat'),
];

export const responsesQuirks: readonly Quirk[] = [
  ...quirksOfFamilies(families, 'openai-responses'),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools'],
    'refused',
    'The OpenAPI document: `/responses` supports only function tools.',
  ),
  ...lacks(
    ['cache-key', 'verbosity', 'logprobs'],
    'dropped',
    'The OpenAPI document of `/responses` does not list this parameter.',
  ),
];
