import { asArray } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { bodyOf, refusedMember, unknownMembers } from '../shared/members.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { BEFORE_GPT_5, DOCUMENT, issue, REASONING, recording, SEARCH } from './families.ts';
import { MESSAGE_RULES } from './messages.ts';
import { CHAT_EFFORT, COMPATIBILITY, efforts, whileReasoning } from './reasoning.ts';
import { customTools } from './tools.ts';

/** The members of CreateChatCompletionRequest. */
const MEMBERS = [
  ...['audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs', 'max_completion_tokens'],
  ...['max_tokens', 'messages', 'metadata', 'modalities', 'model', 'moderation', 'n', 'parallel_tool_calls'],
  ...['prediction', 'presence_penalty', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['reasoning_effort', 'response_format', 'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream'],
  ...['stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity'],
  'web_search_options',
];

const maxTokens: Rule = {
  ...refusedMember({
    ...{ id: 'max-tokens', member: 'max_tokens', value: 64, family: REASONING },
    statement: '`max_tokens` is refused; the field is `max_completion_tokens`.',
    source: recording('openai/chat/190-reasoning-model-legacy-parameter-error.json'),
    accepted: [{ body: { max_completion_tokens: 64 } }, { model: 'gpt-4o', body: { max_tokens: 64 } }],
  }),
};

const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] };

/** `byDefault`: the model reasons if the request has no effort. */
function toolsWhileReasoning(id: string, label: string, models: RegExp, byDefault: boolean, url: string): Rule {
  return {
    id,
    statement: byDefault
      ? 'Function tools are refused unless the effort is `none`.'
      : 'With function tools, the effort must be `none`.',
    family: { label, models },
    source: issue(url),
    refuses(request) {
      const { tools, functions, reasoning_effort: effort } = bodyOf(request);
      const reasons = effort === undefined ? byDefault : effort !== 'none';
      if (asArray(tools).length + asArray(functions).length === 0 || !reasons) return null;
      return `Function tools with reasoning_effort are not supported for ${request.model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
    },
    examples: {
      refused: [{ body: { ...TOOLS, reasoning_effort: 'low' } }, ...(byDefault ? [{ body: TOOLS }] : [])],
      accepted: [{ body: { ...TOOLS, reasoning_effort: 'none' } }, ...(byDefault ? [] : [{ body: TOOLS }])],
    },
  };
}

const searchModels = ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'].map((member) =>
  refusedMember({
    ...{ id: `search-${member}`, member, value: 0.5, family: SEARCH },
    statement: `\`${member}\` is refused.`,
    source: issue('vercel/ai/pull/5647'),
  }),
);

const penalties = ['frequency_penalty', 'presence_penalty'].map((member) =>
  refusedMember({
    ...{ id: member, member, value: 0.5, family: REASONING },
    statement: `\`${member}\` is refused.`,
    source: issue('nextai-translator/nextai-translator/issues/1781'),
    // Azure's error report lists a penalty of 0 as accepted (zenn.dev/headwaters/articles/a5468c45ec2e52).
    accepts: (value) => value === 0 || value === null,
    accepted: [{ body: { [member]: 0 } }],
  }),
);

export const CHAT_RULES: readonly Rule[] = [
  unknownMembers(MEMBERS, DOCUMENT),
  maxTokens,
  ...efforts(CHAT_EFFORT),
  toolsWhileReasoning(
    ...(['tools-of-gpt-5-4', 'GPT-5.4', /^gpt-5\.4(?!\d)(?!-(?:pro|codex|chat))/, false] as const),
    'openai/openai-openapi/issues/541',
  ),
  toolsWhileReasoning(
    ...(['tools-of-gpt-5-6', 'GPT-5.5 and later', /^gpt-(?:5\.[5-9]|[6-9])(?!-(?:pro|codex|chat))/, true] as const),
    'BerriAI/litellm/pull/34569',
  ),
  ...whileReasoning(CHAT_EFFORT, [
    ['temperature', 0],
    ['top_p', 0.5],
    ['logprobs', true, COMPATIBILITY],
  ]),
  ...penalties,
  refusedMember({
    ...{ id: 'logit-bias', member: 'logit_bias', value: { 50256: -100 }, family: REASONING },
    statement: '`logit_bias` is refused.',
    source: issue('vercel/ai/issues/10932'),
  }),
  refusedMember({
    ...{ id: 'stop', member: 'stop', value: ['x'], family: REASONING },
    statement: '`stop` is refused.',
    source: issue('BittnerPierre/AI-Agent-Casebook/issues/133'),
    accepts: (value) => value === null,
  }),
  refusedMember({
    ...{ id: 'verbosity', member: 'verbosity', value: 'low', family: BEFORE_GPT_5 },
    statement: '`verbosity` must be `medium`.',
    source: issue('google-deepmind/concordia/issues/164'),
    accepts: (value) => value === 'medium' || value === null,
  }),
  ...searchModels,
  customTools({ type: 'custom', custom: { name: 'write' } }),
  ...MESSAGE_RULES,
];

export const CHAT_MODELS = [
  ...['gpt-4o', 'gpt-4.1', 'gpt-5', 'gpt-5-mini', 'gpt-5-chat-latest', 'gpt-5.1', 'gpt-5.1-chat-latest'],
  ...['gpt-5.2', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.5', 'gpt-5.6-terra', 'o3', 'o4-mini', 'gpt-4o-search-preview'],
];

export const openaiChat: StrictUpstream = {
  name: 'openai-chat',
  label: 'OpenAI, chat completions',
  provider: 'openai',
  wire: 'openai-chat',
  models: CHAT_MODELS,
  rules: CHAT_RULES,
  envelope: openaiEnvelope,
};
