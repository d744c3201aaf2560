import type { Feature } from '../../domain/exchange/loss.ts';
import type { Reasons } from '../../domain/exchange/reasoning.ts';
import type { Quirk } from '../../formats/text/quirk.ts';
import { has, lacks, NAMED_MAX_COMPLETION_TOKENS, OPENAI_REASONING } from './quirks.ts';

/*
 * The features that OpenAI's own models refuse at any provider. Sources: the guide "Reasoning models" (limits, efforts), the reference's
 * notes on the parameters, and error responses of the API. Only models that are known by name get a rule.
 */

/** Models that do not reason: GPT-3.5, the GPT-4 family, and the chat variants of GPT-5 and later. */
const NOT_REASONING = /(?:^|[/:])(?:gpt-[34]|chatgpt-|gpt-audio|gpt-(?:[5-9]|\d\d)(?:\.\d+)?-chat)/;
/** Models that always reason: none of their efforts is `none`. */
const ALWAYS_REASONING =
  /(?:^|[/:])(?:o[1-9]|codex|gpt-5(?=[-:]|$)(?!-chat)|gpt-(?:[5-9]|\d\d)(?:\.\d+)?-(?:pro|codex)|gpt-(?:[5-9]|\d\d)\.\d+-chat)(?=[-.:]|$)/;
/** Models that reason only on request. */
const REASONING_WHEN_TOLD = /(?:^|[/:])gpt-5\.[1-4](?!\d)(?!-(?:pro|codex|chat))/;
/** Models that reason unless a request has the effort `none`. */
const REASONING_BY_DEFAULT =
  /(?:^|[/:])gpt-(?:5\.(?:[5-9]|\d\d)|(?:[6-9]|\d\d)(?:\.\d+)?)(?!-(?:pro|codex|chat))(?=[-:]|$)/;
const BEFORE_GPT_5 = /(?:^|[/:])(?:o[1-9]|gpt-[34]|chatgpt-|gpt-audio)/;
const SEARCH = /(?:^|[/:])gpt-[\w.-]*search/;

const efforts: readonly Quirk[] = [
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /(?:^|[/:])o[1-9]/,
    why: 'The o series returns a 400 for other efforts that lists these three.',
  },
  {
    kind: 'efforts',
    values: ['minimal', 'low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5(?![.\d])(?!-(?:pro|codex|chat))/,
    why: 'GPT-5 introduced `minimal`, and GPT-5.1 introduced `none`.',
  },
  {
    kind: 'efforts',
    values: ['high'],
    models: /(?:^|[/:])gpt-5-pro/,
    why: 'The reference of `reasoning.effort`: GPT-5 pro accepts only `high`.',
  },
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5(?:\.1)?-codex(?!-max)/,
    why: 'The Codex variants of GPT-5 and GPT-5.1 have neither `none` nor `minimal`.',
  },
  {
    kind: 'efforts',
    values: ['none', 'low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5\.1(?!\d)(?!-(?:codex|chat))/,
    why: 'GPT-5.1 returns a 400 for `minimal` that lists these four.',
  },
  {
    kind: 'efforts',
    values: ['none', 'low', 'medium', 'high', 'xhigh'],
    models: /(?:^|[/:])gpt-5\.[2-5](?!\d)(?!-(?:pro|chat))/,
    why: 'Models after GPT-5.1 have `xhigh`, but no longer `minimal`.',
  },
];

const withoutThinking: readonly Quirk[] = [
  ...lacks(
    ['reasoning-effort', 'reasoning-budget', 'reasoning-summary', 'reasoning-state'],
    'dropped',
    'The model does not reason, and OpenAI returns a 400 if its reasoning is requested.',
    NOT_REASONING,
  ),
  ...lacks(['verbosity'], 'dropped', 'Models before GPT-5 accept only the verbosity `medium`.', BEFORE_GPT_5),
  {
    kind: 'lacks',
    feature: 'custom-tools',
    verdict: 'approximated',
    isRefused: true,
    models: BEFORE_GPT_5,
    why: 'Models before GPT-5 reject custom tools, so one becomes a function with one string parameter.',
  },
];

const SAMPLING =
  'The guide "Reasoning models": while it reasons, the model rejects a temperature or `top_p` other than the default.';

const LOGPROBS = 'OpenAI returns an error for log probabilities while the model reasons.';

/** Returns quirks for features that a model lacks only while it reasons. */
function lacksWhileReasoning(features: readonly Feature[], why: string): Quirk[] {
  const ways: readonly (readonly [RegExp, Reasons])[] = [
    [REASONING_WHEN_TOLD, 'when-told-to'],
    [REASONING_BY_DEFAULT, 'unless-told-not-to'],
  ];
  return features.flatMap((feature) => [
    ...lacks([feature], 'dropped', why, ALWAYS_REASONING),
    ...ways.map(
      ([models, reasons]): Quirk => ({ kind: 'lacks', feature, verdict: 'dropped', while: reasons, models, why }),
    ),
  ]);
}

const TOOLS_AT_REST =
  'Since GPT-5.4, chat completions reject function tools while the model reasons; the error points to the Responses API.';

const CLOSED_SCHEMAS: Quirk = {
  kind: 'closed-schemas',
  why: 'In strict mode OpenAI accepts only schemas whose objects allow no additional properties and require all of theirs.',
};

export const OPENAI_CHAT_MODELS: readonly Quirk[] = [
  CLOSED_SCHEMAS,
  ...lacks(
    ['json-mode', 'json-schema'],
    'refused',
    'OpenAI returns a 400 for a response format with its audio models (github.com/truefoundry/models/pull/822).',
    /(?:^|[/:])gpt-(?:4o(?:-mini)?-)?audio/,
  ),
  {
    kind: 'tool-call-ids',
    pattern: /^.{1,40}$/s,
    length: 40,
    why: 'Chat completions return a 400 for a tool-call id of more than 40 characters.',
  },
  {
    ...NAMED_MAX_COMPLETION_TOKENS,
    models: OPENAI_REASONING,
    isRefused: true,
    why: 'Reasoning models return a 400 for `max_tokens` that asks for `max_completion_tokens`.',
  },
  ...lacksWhileReasoning(['temperature', 'top-p'], SAMPLING),
  ...lacksWhileReasoning(['logprobs'], LOGPROBS),
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logit-bias'],
    'dropped',
    'OpenAI rejects penalties and token biases for reasoning models.',
    OPENAI_REASONING,
  ),
  {
    kind: 'tools-at-rest',
    while: 'when-told-to',
    models: /(?:^|[/:])gpt-5\.4(?!\d)(?!-(?:pro|codex|chat))/,
    why: TOOLS_AT_REST,
  },
  { kind: 'tools-at-rest', while: 'unless-told-not-to', models: REASONING_BY_DEFAULT, why: TOOLS_AT_REST },
  ...lacks(['stop'], 'refused', 'OpenAI rejects `stop` for reasoning models since o3.', OPENAI_REASONING),
  ...lacks(
    ['temperature', 'top-p', 'frequency-penalty', 'presence-penalty'],
    'dropped',
    'The search models of chat completions return a 400 for this parameter.',
    SEARCH,
  ),
  ...has(['web-search'], 'The search models of chat completions accept `web_search_options`.', SEARCH),
  ...efforts,
  ...withoutThinking,
];

export const OPENAI_RESPONSES_MODELS: readonly Quirk[] = [
  CLOSED_SCHEMAS,
  ...lacksWhileReasoning(['temperature', 'top-p'], SAMPLING),
  ...lacksWhileReasoning(['logprobs'], LOGPROBS),
  ...efforts,
  ...withoutThinking,
];

/**
 * OpenAI's last models for text completions, and models trained from them; the endpoint answers others with a 404. Azure writes
 * 35.
 */
export const SERVED_IN_COMPLETIONS = /^(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002)/;
/** All other models, except the few that OpenAI serves only by Responses (pro, Codex, deep research, computer use). */
export const SERVED_IN_CHAT =
  /^(?!(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002))(?!.*(?:-pro(?![a-z])|codex|deep-research|computer-use))/;
/**
 * All models except those for text completions, and those served only by chat completions (spoken answers, the older search
 * models).
 */
export const SERVED_IN_RESPONSES =
  /^(?!(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002))(?!.*(?:-audio|search-preview|search-api))/;
