import type { Rule, StrictUpstream } from '../rule.ts';
import { conversationRules } from './conversation.ts';
import {
  bytesRule,
  CLOUDS_LACK,
  flagRule,
  hostedToolRule,
  inBody,
  inHeader,
  innerMemberRule,
  memberRule,
  versionRule,
} from './members.ts';
import { isCount } from './reading.ts';
import { generationRules, settingRules } from './settings.ts';
import { blockRules, toolRules } from './tools.ts';

/** Limits a rule to requests that generate; requests that count tokens are exempt. */
function ofGeneration(rule: Rule): Rule {
  return { ...rule, refuses: (request) => (isCount(request) ? null : rule.refuses(request)) };
}

const COMMON: readonly Rule[] = [
  ...generationRules.map(ofGeneration),
  ...conversationRules,
  ...toolRules,
  ...blockRules,
  ...settingRules,
];

const anthropicEnvelope = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });

const MODELS = [
  ...[
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-1',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
  ],
  ...[
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-opus-5',
    'claude-fable-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
  ],
];

/** Claude at Anthropic itself. */
export const anthropicMessages: StrictUpstream = {
  name: 'anthropic',
  label: 'Anthropic, Messages',
  provider: 'anthropic',
  wire: 'anthropic-messages',
  models: MODELS,
  rules: [memberRule(), innerMemberRule(null), ...COMMON],
  envelope: anthropicEnvelope,
};

const VERTEX_FLAGS = inHeader([
  ...[
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'interleaved-thinking-2025-05-14',
  ],
  ...['context-1m-2025-08-07', 'context-management-2025-06-27', 'compact-2026-01-12', 'web-search-2025-03-05'],
  ...['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
]);

/** Claude at Vertex AI. */
export const vertexClaude: StrictUpstream = {
  name: 'vertex-claude',
  label: 'Google Vertex AI, Claude',
  provider: 'vertex',
  wire: 'anthropic-messages',
  models: ['claude-haiku-4-5@20251001', 'claude-opus-4-5@20251101', 'claude-opus-4-6', 'claude-opus-5-5'],
  basic: {
    path: '/v1/projects/p/locations/global/publishers/anthropic/models/{model}:rawPredict',
    body: { model: undefined, anthropic_version: 'vertex-2023-10-16' },
  },
  rules: [
    flagRule(VERTEX_FLAGS),
    versionRule('vertex-2023-10-16'),
    memberRule({ lacks: ['model', ...CLOUDS_LACK], adds: ['anthropic_version'] }),
    innerMemberRule(VERTEX_FLAGS),
    hostedToolRule(/^(?:bash|text_editor|computer|memory|tool_search_tool_\w+|web_search)_20/),
    bytesRule,
    ...COMMON,
  ],
  envelope: anthropicEnvelope,
};

const BEDROCK_FLAGS = inBody([
  ...[
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'token-efficient-tools-2025-02-19',
  ],
  ...[
    'interleaved-thinking-2025-05-14',
    'dev-full-thinking-2025-05-14',
    'output-128k-2025-02-19',
    'context-1m-2025-08-07',
  ],
  ...[
    'fine-grained-tool-streaming-2025-05-14',
    'context-management-2025-06-27',
    'compact-2026-01-12',
    'effort-2025-11-24',
  ],
  ...['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
]);

/** Claude at Bedrock through InvokeModel. */
export const bedrockClaude: StrictUpstream = {
  name: 'bedrock-claude',
  label: 'Amazon Bedrock, Claude (InvokeModel)',
  provider: 'bedrock',
  wire: 'anthropic-messages',
  models: [
    ...['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'global.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ...[
      'global.anthropic.claude-opus-4-5-20251101-v1:0',
      'global.anthropic.claude-opus-4-6-v1',
      'global.anthropic.claude-opus-4-8',
    ],
    ...['global.anthropic.claude-sonnet-5', 'global.anthropic.claude-opus-5-5'],
  ],
  basic: {
    path: '/model/{model}/invoke',
    body: { model: undefined, anthropic_version: 'bedrock-2023-05-31' },
  },
  rules: [
    flagRule(BEDROCK_FLAGS),
    versionRule('bedrock-2023-05-31'),
    memberRule({ lacks: ['model', 'stream', ...CLOUDS_LACK], adds: ['anthropic_version', 'anthropic_beta'] }),
    innerMemberRule(BEDROCK_FLAGS),
    hostedToolRule(/^(?:bash|text_editor|computer|memory|tool_search_tool_\w+)_20/),
    ...COMMON,
  ],
  envelope: (message) => ({ message }),
};
