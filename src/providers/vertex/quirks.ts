import type { Quirk } from '../../formats/quirk.ts';
import { OUTPUT_FORMAT } from '../shared/messages-betas.ts';
import { lacks } from '../shared/quirks.ts';

export const geminiQuirks: readonly Quirk[] = [
  {
    kind: 'omit',
    field: 'generateContentRequest',
    why: 'Vertex AI, "models.countTokens": the members of the request stand in the body itself, without a wrapper.',
  },
  {
    kind: 'omit',
    field: 'generate_content_request',
    why: 'Vertex AI, "models.countTokens": the wrapper in its other spelling, which is not there either.',
  },
  {
    kind: 'omit',
    field: 'functionCall.id',
    why: 'Vertex AI answers an `id` in a function call or its response with a 400, "Unknown name".',
  },
  {
    kind: 'omit',
    field: 'toolConfig.includeServerSideToolInvocations',
    why: 'Vertex AI does not know the member, and takes its own search beside functions without it.',
  },
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs'],
    'dropped',
    'Gemini 3 and later answer it with a 400, "is not enabled for this model".',
    /gemini-(?:[3-9]|\d\d)/,
  ),
];

const BEFORE_4_6 = /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|@|-20\d{6}))/;

/** Anthropic's format without what Anthropic itself runs beside its models. */
export const messagesQuirks: readonly Quirk[] = [
  ...lacks(
    ['image-url', 'document-url'],
    'approximated',
    'Claude at Vertex AI fetches nothing itself; the gateway does, and sends the bytes.',
  ),
  ...lacks(['provider-file'], 'refused', "Anthropic's files are not at Vertex AI."),
  ...lacks(['service-tier'], 'dropped', 'The tiers of Anthropic are not those of Vertex AI.'),
  ...lacks(
    ['json-schema'],
    'approximated',
    'Google Cloud, "Structured outputs with Anthropic Claude models": they begin with Claude 4.6; the schema is told in words.',
    BEFORE_4_6,
  ),
  ...lacks(['strict-tools'], 'dropped', 'The same page: strict tools begin with Claude 4.6, too.', BEFORE_4_6),
  OUTPUT_FORMAT,
];
