import type { Quirk } from '../../formats/text/quirk.ts';
import {
  BETA_MEMBERS,
  type KnownBeta,
  type MessagesBetas,
  TOLD_OTHERWISE,
  TOOL_BETAS_OF_CLOUDS,
} from '../shared/messages-betas.ts';
import { lacks } from '../shared/quirks.ts';

export const geminiQuirks: readonly Quirk[] = [
  {
    kind: 'omit',
    field: 'generateContentRequest',
    why: 'Vertex AI, "models.countTokens": the request’s fields are in the body itself, without a wrapper.',
  },
  {
    kind: 'omit',
    field: 'generate_content_request',
    why: 'Vertex AI, "models.countTokens": the other spelling of the wrapper, which it does not have either.',
  },
  {
    kind: 'omit',
    field: 'functionCall.id',
    why: 'Vertex AI returns a 400 for an `id` in a function call or its response, "Unknown name".',
  },
  {
    kind: 'omit',
    field: 'toolConfig.includeServerSideToolInvocations',
    why: 'Vertex AI does not have this field, and accepts its own search together with functions without it.',
  },
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs'],
    'dropped',
    'Gemini 3 and later return a 400, "is not enabled for this model".',
    /gemini-(?:[3-9]|\d\d)/,
  ),
];

const BEFORE_4_6 = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|@|-20\d{6}))/;

/** Anthropic's format without the services that Anthropic itself runs beside its models. */
export const messagesQuirks: readonly Quirk[] = [
  ...lacks(
    ['image-url', 'document-url'],
    'approximated',
    'Claude on Vertex AI does not download files, so the gateway downloads them and sends the bytes.',
  ),
  ...lacks(['provider-file'], 'refused', 'Anthropic’s file API is not available on Vertex AI.'),
  ...lacks(['service-tier'], 'dropped', 'Vertex AI’s service tiers differ from Anthropic’s.'),
  ...lacks(
    ['json-schema'],
    'approximated',
    'Google Cloud, "Structured outputs with Anthropic Claude models": they are available from Claude 4.6 on; before, the schema is part of the prompt.',
    BEFORE_4_6,
  ),
  ...lacks(['strict-tools'], 'dropped', 'The same page: strict tools are available from Claude 4.6 on.', BEFORE_4_6),
  ...TOLD_OTHERWISE,
];

/**
 * Vertex AI answers any other flag with a 400 ("Unexpected value(s) `…` for the `anthropic-beta` header"). These are the flags of
 * the features that Google's pages on Claude and Anthropic's feature overview list for it.
 */
const BETA_FLAGS: readonly KnownBeta[] = [
  ...[
    ...['computer-use-2024-10-22', 'computer-use-2025-01-24', 'computer-use-2025-11-24'],
    ...['interleaved-thinking-2025-05-14', 'context-1m-2025-08-07', 'context-management-2025-06-27'],
    ...['compact-2026-01-12', 'web-search-2025-03-05'],
  ].map((flag): KnownBeta => ({ flag })),
  ...TOOL_BETAS_OF_CLOUDS,
];

export const messagesBetas: MessagesBetas = { flags: BETA_FLAGS, members: BETA_MEMBERS };
