import type { Quirk } from '../../formats/text/quirk.ts';
import {
  BETA_MEMBERS,
  type KnownBeta,
  type MessagesBetas,
  TOLD_OTHERWISE,
  TOOL_BETAS_OF_CLOUDS,
} from '../shared/messages-betas.ts';
import { has, lacks } from '../shared/quirks.ts';

/** Claude from version 3 on; earlier versions have a different API. */
export const CLAUDE = /claude-(?!v2|instant)/;

/** From Opus 4.7 on, callers cannot set sampling parameters. */
const UNSAMPLED = /claude-(?:opus-4-[7-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;
const DEPRECATED = 'Bedrock returns a 400: the parameter is deprecated for this model.';

const OTHER_THAN_CLAUDE_AND_NOVA = /^(?!.*(?:claude|nova))/;
/** All models except Nova, and Claude since 3.5, which accept text together with calls and results. */
const WORDS_APART = /^(?!.*(?:nova|claude-(?!3-(?:opus|sonnet|haiku))))/;
const OTHER_THAN_OSS = /openai\.(?!gpt-oss)/;

/** From the Bedrock user guide, "Get validated JSON results from models", plus Opus 4.7, which has accepted a strict tool. */
const STRUCTURED =
  /claude-(?:(?:opus|sonnet|haiku)-4-5|(?:opus|sonnet)-4-6)|openai\.gpt-oss|qwen\.qwen3|deepseek\.v3|google\.gemma|minimax\.|mistral\.(?:magistral|ministral|mistral-large-3|voxtral)|moonshot|nvidia\.nemotron/;
const STRICT = new RegExp(`${STRUCTURED.source}|claude-opus-4-7`);
/** Models that are not on that list, and are known to refuse a schema or are too old for one. */
const UNSTRUCTURED =
  /claude-(?:3|opus-4-[178]|(?:opus|sonnet)-4-20|fable-5|sonnet-5(?!-5))|amazon\.|meta\.|ai21\.|cohere\.|deepseek\.r1|mistral\.mi[sx]tral-\dx?\d?b/;

const IN_WORDS = 'This model has no structured outputs, so the schema is part of the prompt.';

/** Claude through InvokeModel: Anthropic's format without the services that Anthropic itself runs beside its models. */
export const messagesQuirks: readonly Quirk[] = [
  ...lacks(
    ['image-url', 'document-url'],
    'approximated',
    'Bedrock does not download files, so the gateway downloads them and sends the bytes.',
  ),
  // Anthropic's other tools are not listed: those that the client runs (bash, text editor, computer use) are available
  // here, too.
  ...lacks(
    ['web-search', 'provider-file'],
    'refused',
    'Anthropic\'s web search and files are not available on Bedrock (platform.claude.com, "Claude in Amazon Bedrock").',
  ),
  ...lacks(['service-tier'], 'dropped', 'Bedrock’s service tiers differ from Anthropic’s.'),
  ...lacks(['json-schema'], 'approximated', IN_WORDS, UNSTRUCTURED),
  ...lacks(['temperature', 'top-p'], 'dropped', DEPRECATED, UNSAMPLED),
  ...lacks(['top-k'], 'dropped', DEPRECATED, /claude-opus-4-[7-9]/),
  ...TOLD_OTHERWISE,
];

export const converseQuirks: readonly Quirk[] = [
  ...lacks(['temperature', 'top-p'], 'dropped', DEPRECATED, UNSAMPLED),
  ...lacks(['top-k'], 'dropped', DEPRECATED, /claude-opus-4-[7-9]/),
  ...lacks(
    ['tool-choice-required', 'tool-choice-named'],
    'refused',
    'Bedrock returns a 400: the model cannot be forced to call a tool.',
    /claude-opus-5-5/,
  ),
  ...lacks(
    ['tool-choice-named'],
    'refused',
    'The API reference for ToolChoice: only Claude and Nova can be forced to call a named tool.',
    OTHER_THAN_CLAUDE_AND_NOVA,
  ),
  ...lacks(['strict-tools'], 'dropped', 'Most models reject a tool with the field `strict`.'),
  ...has(['strict-tools'], 'The model supports strict tools.', STRICT),
  ...lacks(['json-schema'], 'approximated', IN_WORDS, UNSTRUCTURED),
  ...lacks(
    ['cache-marks'],
    'dropped',
    'Only Claude and Nova have prompt caching (Bedrock user guide, "Prompt caching"); others reject a cache point.',
    OTHER_THAN_CLAUDE_AND_NOVA,
  ),
  ...lacks(
    ['tool-result-error'],
    'dropped',
    'The API reference for ToolResultBlock: only Claude and Nova accept a status.',
    OTHER_THAN_CLAUDE_AND_NOVA,
  ),
  ...lacks(['temperature', 'top-p'], 'dropped', 'The GPT models reject sampling parameters.', OTHER_THAN_OSS),
  ...lacks(['stop'], 'refused', 'The OpenAI models reject stop sequences.', /openai\./),
  {
    kind: 'message-order',
    rule: 'answered-results',
    models: WORDS_APART,
    why: 'Bedrock returns a 400 for text in the same turn as a tool result, so a short assistant message is inserted.',
  },
  {
    kind: 'message-order',
    rule: 'calls-apart',
    models: WORDS_APART,
    why: 'Bedrock returns a 400 for text in the same turn as a tool call, so a short user message is inserted.',
  },
  {
    kind: 'reasoning-input',
    field: 'reasoning_details',
    models: OTHER_THAN_OSS,
    why: 'The GPT models encrypt their reasoning, which must not reach Claude.',
  },
  {
    kind: 'reasoning-input',
    field: 'none',
    models: /deepseek\.r1/,
    why: 'The page "Reasoning Model" of api-docs.deepseek.com: R1 returns a 400 for earlier reasoning in the conversation.',
  },
  {
    kind: 'tool-call-ids',
    pattern: /^[a-zA-Z0-9]{9}$/,
    length: 9,
    models: /mistral\./,
    why: "Mistral's models reject ids that are not nine letters and digits.",
  },
];

/**
 * Bedrock answers an unknown beta flag with a 400 ("invalid beta flag"), and Anthropic's own clients send several that only
 * Anthropic's API has. These are the flags in its user guide (Anthropic Claude Messages API, "Beta features", and the pages of
 * the models).
 */
const BETA_FLAGS: readonly KnownBeta[] = [
  ...[
    ...['computer-use-2024-10-22', 'computer-use-2025-01-24', 'computer-use-2025-11-24'],
    ...['token-efficient-tools-2025-02-19', 'interleaved-thinking-2025-05-14', 'dev-full-thinking-2025-05-14'],
    ...['output-128k-2025-02-19', 'fine-grained-tool-streaming-2025-05-14', 'context-1m-2025-08-07'],
    ...['context-management-2025-06-27', 'compact-2026-01-12', 'effort-2025-11-24'],
  ].map((flag): KnownBeta => ({ flag })),
  ...TOOL_BETAS_OF_CLOUDS,
];

export const messagesBetas: MessagesBetas = { flags: BETA_FLAGS, members: BETA_MEMBERS };
