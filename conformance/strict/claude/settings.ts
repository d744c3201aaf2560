import { asArray, asObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { bodyOf, CHECKED, having, tool, toolsOf, type Wire } from './reading.ts';

const PLATFORM = 'https://platform.claude.com/docs/en';
const ISSUES = 'https://github.com';

const NEW = '(?:opus|sonnet|haiku|fable|mythos)-[5-9]';
const UNSAMPLED = { label: 'Claude Opus 4.7 and later', models: new RegExp(`claude-(?:opus-4-[7-9]|${NEW})`) };
const ONE_SAMPLING = {
  label: 'Claude Opus 4.1 and Claude 4.5 to 4.6',
  models: /claude-(?:opus-4-1|(?:opus|sonnet|haiku)-4-[56])/,
};
const ADAPTIVE_ONLY = { label: UNSAMPLED.label, models: UNSAMPLED.models };
const ALWAYS_THINKS = { label: 'Models that always think', models: /claude-(?:opus-5-5|sonnet-5-5|fable-5|mythos-5)/ };
const BUDGET_ONLY = {
  label: 'Claude 4.5 and earlier',
  models: /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|@|-20|$))/,
};
const WITHOUT_EFFORT = {
  label: 'Models without an effort setting',
  models: /claude-(?:3|opus-4(?:-[01](?!\d)|@|-20|$)|(?:sonnet|haiku)-4(?:-[0-5](?!\d)|@|-20|$))/,
};
const UNFORCED = { label: 'Claude Opus 5.5 and Fable 5.1', models: /claude-(?:opus-5-5|(?:fable|mythos)-5-[1-9])/ };

const thinkingOf = (body: Wire): Wire => asObject(body.thinking);
const isThinking = (body: Wire) => ['enabled', 'adaptive'].includes(String(thinkingOf(body).type));
const BUDGET = { type: 'enabled', budget_tokens: 1_024 };
const thinkingByBudget = (more: Wire = {}) => ({
  ...having({ max_tokens: 4_096, thinking: BUDGET, ...more }),
  model: 'claude-sonnet-4-5',
});

/** Makes a rule about one member of the body. */
function bodyRule(rule: Omit<Rule, 'refuses'>, refuses: (body: Wire, model: string) => string | null): Rule {
  return { ...rule, refuses: (request) => refuses(bodyOf(request), request.model) };
}

const range = bodyRule(
  {
    id: 'sampling-range',
    statement: 'Temperature and `top_p` must be from 0 to 1.',
    source: { url: 'recordings/anthropic/messages/006-validation-error-carries-identity.json', checked: CHECKED },
    examples: { refused: [having({ temperature: 1.5 }), having({ top_p: 2 })] },
  },
  (body) => {
    const wrong = ['temperature', 'top_p'].find(
      (name) => typeof body[name] === 'number' && (Number(body[name]) < 0 || Number(body[name]) > 1),
    );
    return wrong === undefined ? null : `${wrong}: range: 0..1`;
  },
);

const unsampled = bodyRule(
  {
    id: 'no-sampling',
    statement: 'Temperature, `top_p` and `top_k` are refused.',
    family: UNSAMPLED,
    source: { url: `${PLATFORM}/about-claude/models/migration-guide`, checked: CHECKED },
    examples: {
      refused: [having({ temperature: 0.5 }), having({ top_p: 0.9 }), having({ top_k: 5 })],
      accepted: [having({ temperature: 1 })],
    },
  },
  (body) => {
    const wrong = ['temperature', 'top_p', 'top_k'].find((name) => body[name] !== undefined && body[name] !== 1);
    return wrong === undefined ? null : `\`${wrong}\` is deprecated for this model.`;
  },
);

const oneSampling = bodyRule(
  {
    id: 'one-sampling',
    statement: 'Temperature and `top_p` are mutually exclusive.',
    family: ONE_SAMPLING,
    source: { url: `${ISSUES}/skydiscover-ai/skydiscover/issues/15`, checked: CHECKED },
    examples: { refused: [having({ temperature: 0.5, top_p: 0.9 })], accepted: [having({ temperature: 0.5 })] },
  },
  ({ temperature, top_p: topP }) =>
    temperature !== undefined && topP !== undefined
      ? '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
      : null,
);

const thinkingSampling = bodyRule(
  {
    id: 'thinking-sampling',
    statement: 'While the model thinks, temperature must be 1, `top_p` at least 0.95, and `top_k` omitted.',
    source: { url: `${PLATFORM}/build-with-claude/extended-thinking`, checked: CHECKED },
    examples: {
      refused: [
        thinkingByBudget({ temperature: 0.5 }),
        thinkingByBudget({ top_p: 0.5 }),
        thinkingByBudget({ top_k: 5 }),
      ],
      accepted: [thinkingByBudget({ temperature: 1 })],
    },
  },
  (body) => {
    if (!isThinking(body)) return null;
    if (body.temperature !== undefined && body.temperature !== 1)
      return '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.';
    if (typeof body.top_p === 'number' && body.top_p < 0.95)
      return '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode.';
    return body.top_k === undefined ? null : '`top_k` must be unset when thinking is enabled or in adaptive mode.';
  },
);

const budget = bodyRule(
  {
    id: 'thinking-budget',
    statement: 'A thinking budget must have at least 1,024 tokens, and fewer than `max_tokens`.',
    source: { url: `${PLATFORM}/build-with-claude/extended-thinking`, checked: CHECKED },
    examples: {
      refused: [
        thinkingByBudget({ thinking: { type: 'enabled', budget_tokens: 100 } }),
        thinkingByBudget({ max_tokens: 1_024 }),
      ],
      accepted: [thinkingByBudget()],
    },
  },
  (body) => {
    const { type, budget_tokens: tokens } = thinkingOf(body);
    if (type !== 'enabled') return null;
    if (Number(tokens ?? 0) < 1_024)
      return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
    return Number(body.max_tokens) > Number(tokens)
      ? null
      : '`max_tokens` must be greater than `thinking.budget_tokens`.';
  },
);

const adaptiveOnly = bodyRule(
  {
    id: 'no-budget',
    statement: 'Thinking must be `adaptive`; a budget is refused.',
    family: ADAPTIVE_ONLY,
    source: { url: `${PLATFORM}/build-with-claude/adaptive-thinking`, checked: CHECKED },
    examples: {
      refused: [having({ max_tokens: 4_096, thinking: BUDGET })],
      accepted: [having({ thinking: { type: 'adaptive' } })],
    },
  },
  (body) =>
    thinkingOf(body).type === 'enabled'
      ? '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
      : null,
);

const budgetOnly = bodyRule(
  {
    id: 'no-adaptive',
    statement: '`adaptive` thinking is refused.',
    family: BUDGET_ONLY,
    source: { url: `${PLATFORM}/build-with-claude/adaptive-thinking`, checked: CHECKED },
    examples: { refused: [having({ thinking: { type: 'adaptive' } })] },
  },
  (body) => (thinkingOf(body).type === 'adaptive' ? 'adaptive thinking is not supported on this model' : null),
);

const alwaysThinks = bodyRule(
  {
    id: 'always-thinks',
    statement: 'Thinking cannot be disabled.',
    family: ALWAYS_THINKS,
    source: { url: `${PLATFORM}/about-claude/models/migration-guide`, checked: CHECKED },
    examples: { refused: [having({ thinking: { type: 'disabled' } })] },
  },
  (body) => (thinkingOf(body).type === 'disabled' ? '"thinking.type.disabled" is not supported for this model.' : null),
);

const effort = bodyRule(
  {
    id: 'no-effort',
    statement: '`output_config.effort` is refused.',
    family: WITHOUT_EFFORT,
    source: { url: `${PLATFORM}/build-with-claude/effort`, checked: CHECKED },
    examples: { refused: [having({ output_config: { effort: 'low' } })] },
  },
  (body) =>
    asObject(body.output_config).effort === undefined ? null : 'This model does not support the effort parameter.',
);

const efforts = bodyRule(
  {
    id: 'efforts',
    statement: 'The effort must be `low`, `medium` or `high`, from 4.6 on also `max`, and from 4.7 on also `xhigh`.',
    source: { url: `${PLATFORM}/build-with-claude/effort`, checked: CHECKED },
    examples: {
      refused: [
        { ...having({ output_config: { effort: 'minimal' } }), model: 'claude-opus-5' },
        { ...having({ output_config: { effort: 'xhigh' } }), model: 'claude-opus-4-6' },
        { ...having({ output_config: { effort: 'max' } }), model: 'claude-opus-4-5' },
      ],
    },
  },
  (body, model) => {
    const wanted = asObject(body.output_config).effort;
    if (wanted === undefined) return null;
    const known = ['low', 'medium', 'high'];
    if (!BUDGET_ONLY.models.test(model)) known.push('max');
    if (UNSAMPLED.models.test(model)) known.push('xhigh');
    return known.includes(String(wanted))
      ? null
      : `output_config.effort: Input should be ${known.map((one) => `'${one}'`).join(', ')}`;
  },
);

const forced = bodyRule(
  {
    id: 'forced-tools',
    statement: 'A model that thinks with a budget, or always, must not be forced to call a tool.',
    source: { url: `${PLATFORM}/build-with-claude/extended-thinking`, checked: CHECKED },
    examples: {
      refused: [
        thinkingByBudget({ tools: [tool()], tool_choice: { type: 'any' } }),
        { ...having({ tools: [tool()], tool_choice: { type: 'tool', name: 'look_up' } }), model: 'claude-opus-5-5' },
      ],
      accepted: [thinkingByBudget({ tools: [tool()], tool_choice: { type: 'auto' } })],
    },
  },
  (body, model) => {
    const { type } = asObject(body.tool_choice);
    if (type !== 'any' && type !== 'tool') return null;
    if (UNFORCED.models.test(model)) return 'tool_choice: forced tool use is not supported for this model';
    return isThinking(body) ? 'Thinking may not be enabled when tool_choice forces tool use.' : null;
  },
);

const MOST_OUTPUT: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`claude-(?:(?:opus|sonnet|haiku)-4-[6-9]|${NEW})`), 128_000],
  [/claude-(?:(?:sonnet|haiku)-4|opus-4-5|3-7)/, 64_000],
  [/claude-opus-4/, 32_000],
  [/claude-3-5/, 8_192],
  [/claude-3/, 4_096],
];

const maxTokens = bodyRule(
  {
    id: 'max-tokens',
    statement: "`max_tokens` is required, from 1 to the model's maximum.",
    source: { url: `${PLATFORM}/about-claude/models/overview`, checked: CHECKED },
    examples: {
      refused: [
        having({ max_tokens: undefined }),
        having({ max_tokens: 500_000 }),
        { ...having({ max_tokens: 64_001 }), model: 'claude-haiku-4-5' },
      ],
    },
  },
  (body, model) => {
    if (body.max_tokens === undefined) return 'max_tokens: Field required';
    const most = MOST_OUTPUT.find(([models]) => models.test(model))?.[1] ?? Number.POSITIVE_INFINITY;
    return Number(body.max_tokens) > most
      ? `max_tokens: ${String(body.max_tokens)} > ${most}, which is the maximum allowed number of output tokens for ${model}`
      : null;
  },
);

const stops = bodyRule(
  {
    id: 'stop-sequences',
    statement: 'Each stop sequence must have a character other than whitespace.',
    source: { url: `${ISSUES}/BerriAI/litellm/issues/3286`, checked: CHECKED },
    examples: { refused: [having({ stop_sequences: ['\n'] })], accepted: [having({ stop_sequences: ['END'] })] },
  },
  (body) =>
    asArray(body.stop_sequences).some((one) => String(one).trim() === '')
      ? 'stop_sequences: each stop sequence must contain non-whitespace'
      : null,
);

const userId = bodyRule(
  {
    id: 'user-id',
    statement: "A user's id must have at most 512 characters and not be an email address or telephone number.",
    source: { url: `${ISSUES}/BerriAI/litellm/issues/10106`, checked: CHECKED },
    examples: {
      refused: [
        having({ metadata: { user_id: 'x'.repeat(513) } }),
        having({ metadata: { user_id: 'ann@example.com' } }),
      ],
      accepted: [having({ metadata: { user_id: 'user-1' } })],
    },
  },
  (body) => {
    const id = asObject(body.metadata).user_id;
    if (typeof id !== 'string') return null;
    if (id.length > 512) return 'metadata.user_id: String should have at most 512 characters';
    return /^\S+@\S+\.\S+$|^\+?[\d\s().-]{7,20}$/.test(id)
      ? 'metadata.user_id: user_id appears to contain an email address or telephone number'
      : null;
  },
);

const toolsOfCalls: Rule = {
  id: 'tools-of-calls',
  statement: 'A conversation with calls or results must declare tools.',
  source: { url: `${ISSUES}/anthropics/anthropic-sdk-python/issues/494`, checked: CHECKED },
  refuses: (request) =>
    /"type": ?"tool_(?:use|result)"/.test(request.text) && toolsOf(request).length === 0
      ? 'Requests which include `tool_use` or `tool_result` blocks must define tools'
      : null,
  examples: {
    refused: [
      having({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
        ],
      }),
    ],
  },
};

/** Rules about members that requests to count tokens do not have. */
export const generationRules: readonly Rule[] = [maxTokens];

/** The rules that also hold for Claude over Bedrock's Converse. */
export const modelRules: readonly Rule[] = [
  ...[unsampled, oneSampling, adaptiveOnly, budgetOnly, alwaysThinks, budget, effort, efforts, thinkingSampling],
  ...[forced, stops, maxTokens],
];

export const settingRules: readonly Rule[] = [
  ...[range, unsampled, oneSampling, adaptiveOnly, budgetOnly, alwaysThinks, budget, effort, efforts, thinkingSampling],
  ...[forced, stops, userId, toolsOfCalls],
];
