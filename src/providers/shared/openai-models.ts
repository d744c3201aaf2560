import type { Quirk } from '../../formats/quirk.ts';
import { has, lacks, NAMED_MAX_COMPLETION_TOKENS, OPENAI_REASONING } from './quirks.ts';

/*
 * What OpenAI's own models refuse, whoever serves them. Sources: the guide "Reasoning models" (limits, efforts), the reference's
 * notes on the parameters, and error answers of the API. Only models that are known by name get a rule.
 */

/** Those that do not think: GPT-3.5, GPT-4 and its kin, and the chat variant of GPT-5. */
const NOT_REASONING = /(?:^|[/:])(?:gpt-[34]|chatgpt-|gpt-audio|gpt-5-chat)/;
const BEFORE_GPT_5 = /(?:^|[/:])(?:o[1-9]|gpt-[34]|chatgpt-|gpt-audio)/;
const SEARCH = /(?:^|[/:])gpt-[\w.-]*search/;

const efforts: readonly Quirk[] = [
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /(?:^|[/:])o[1-9]/,
    why: 'The o series answers other efforts with a 400 that names these three.',
  },
  {
    kind: 'efforts',
    values: ['minimal', 'low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5(?![.\d])(?!-(?:pro|codex|chat))/,
    why: 'GPT-5 was the first to know `minimal`; `none` came with GPT-5.1.',
  },
  {
    kind: 'efforts',
    values: ['high'],
    models: /(?:^|[/:])gpt-5-pro/,
    why: 'GPT-5 pro takes the effort `high` only, by the reference of `reasoning.effort`.',
  },
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5(?:\.1)?-codex(?!-max)/,
    why: 'The Codex variants of GPT-5 and GPT-5.1 know neither `none` nor `minimal`.',
  },
  {
    kind: 'efforts',
    values: ['none', 'low', 'medium', 'high'],
    models: /(?:^|[/:])gpt-5\.1(?!-codex)/,
    why: 'GPT-5.1 answers `minimal` with a 400 that names these four.',
  },
  {
    kind: 'efforts',
    values: ['none', 'low', 'medium', 'high', 'xhigh'],
    models: /(?:^|[/:])gpt-5\.[2-5](?![\d])(?!-pro)/,
    why: 'After GPT-5.1 came `xhigh`; `minimal` was not taken up again.',
  },
];

const withoutThinking: readonly Quirk[] = [
  ...lacks(
    ['reasoning-effort', 'reasoning-budget', 'reasoning-summary', 'reasoning-state'],
    'dropped',
    'The model does not think, and OpenAI answers a request for its reasoning with a 400.',
    NOT_REASONING,
  ),
  ...lacks(['verbosity'], 'dropped', 'Models before GPT-5 take no other verbosity than `medium`.', BEFORE_GPT_5),
  ...lacks(
    ['custom-tools'],
    'approximated',
    'Custom tools came with GPT-5 and earlier models refuse them, so one becomes a function with one text.',
    BEFORE_GPT_5,
  ),
];

const SAMPLING =
  'While it thinks, the model refuses every temperature and `top_p` but the default, by the guide "Reasoning models".';

export const OPENAI_CHAT_MODELS: readonly Quirk[] = [
  {
    ...NAMED_MAX_COMPLETION_TOKENS,
    models: OPENAI_REASONING,
    isRefused: true,
    why: 'Models that think answer `max_tokens` with a 400 that asks for `max_completion_tokens`.',
  },
  ...lacks(['temperature', 'top-p'], 'dropped', SAMPLING, OPENAI_REASONING),
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs', 'logit-bias'],
    'dropped',
    'OpenAI refuses penalties, log probabilities and token biases for models that think.',
    OPENAI_REASONING,
  ),
  ...lacks(['stop'], 'refused', 'OpenAI refuses `stop` for models that think, since o3.', OPENAI_REASONING),
  ...lacks(
    ['temperature', 'top-p', 'frequency-penalty', 'presence-penalty', 'seed', 'logit-bias'],
    'dropped',
    'The search models of chat completions answer this parameter with a 400.',
    SEARCH,
  ),
  ...lacks(['candidate-count'], 'refused', 'The search models of chat completions give one answer.', SEARCH),
  ...has(['web-search'], 'The search models of chat completions take `web_search_options`.', SEARCH),
  ...efforts,
  ...withoutThinking,
];

export const OPENAI_RESPONSES_MODELS: readonly Quirk[] = [
  ...lacks(['temperature', 'top-p'], 'dropped', SAMPLING, OPENAI_REASONING),
  ...lacks(['logprobs'], 'dropped', 'OpenAI gives no log probabilities for models that think.', OPENAI_REASONING),
  ...efforts,
  ...withoutThinking,
];

/** OpenAI's last models for text completions, and what was trained from them; the endpoint answers others with a 404. Azure writes 35. */
export const SERVED_IN_COMPLETIONS = /^(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002)/;
/** All but those, and the few that OpenAI serves by Responses alone (pro, Codex, deep research, computer use). */
export const SERVED_IN_CHAT =
  /^(?!(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002))(?!.*(?:-pro(?![a-z])|codex|deep-research|computer-use))/;
/** All but those for text completions, and those that it serves by chat completions alone (spoken answers, the older search models). */
export const SERVED_IN_RESPONSES =
  /^(?!(?:ft:)?(?:gpt-3\.?5-turbo-instruct|davinci-002|babbage-002))(?!.*(?:-audio|search-preview|search-api))/;
