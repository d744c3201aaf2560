import type { Feature } from '../../domain/exchange/loss.ts';
import type { Quirk, ReasoningField } from '../../formats/text/quirk.ts';

type Verdict = Extract<Quirk, { kind: 'lacks' }>['verdict'];

/** Returns quirks for several features that are missing for the same reason. */
export function lacks(features: readonly Feature[], verdict: Verdict, why: string, models?: RegExp): Quirk[] {
  return features.map((feature) => ({ kind: 'lacks', feature, verdict, why, ...(models && { models }) }));
}

/** Returns quirks for several features that exist although the format's norm or an earlier quirk in the list says otherwise. */
export function has(features: readonly Feature[], why: string, models?: RegExp): Quirk[] {
  return features.map((feature) => ({ kind: 'has', feature, why, ...(models && { models }) }));
}

/**
 * Returns a quirk by which earlier reasoning is sent back in `field`, unchanged: the norm of OpenAI's chat completions has no
 * place for it.
 */
export function takesReasoningBack(field: ReasoningField, why: string, models?: RegExp): Quirk[] {
  const quirk: Quirk = { kind: 'reasoning-input', field, why, ...(models && { models }) };
  return [quirk, ...has(['reasoning-text', 'reasoning-state'], why, models)];
}

/** Returns the same for a provider that refuses an assistant message without that member. */
export function requiresReasoningBack(field: ReasoningField, why: string, models?: RegExp): Quirk[] {
  return takesReasoningBack(field, why, models).map((quirk) =>
    quirk.kind === 'reasoning-input' ? { ...quirk, isRequired: true } : quirk,
  );
}

/** Matches OpenAI's own reasoning models at any provider. */
export const OPENAI_REASONING = /(?:^|[/:])(?:o[1-9]|codex|gpt-(?:[5-9]|\d\d))(?!-chat)(?=[-.:]|$)/;

/** The newer name, for vendors that document it and have deprecated the older one, which is the norm elsewhere. */
export const NAMED_MAX_COMPLETION_TOKENS = {
  kind: 'rename',
  from: 'max_tokens',
  to: 'max_completion_tokens',
  why: 'The vendor documents `max_completion_tokens` and calls `max_tokens` deprecated.',
} as const satisfies Quirk;

/** The templates of open models do not have this role; most servers answer it with a 400. */
export const DEVELOPER_IS_SYSTEM: Quirk = {
  kind: 'role',
  from: 'developer',
  to: 'system',
  why: 'Only OpenAI models have the role `developer`; elsewhere the message has the role `system`.',
};

/**
 * Through a router: models of all makers except those whose own APIs accept a system message anywhere. xAI documents that it does
 * not limit the order of roles.
 */
export const OPEN_MODEL = /^(?!~?(?:openai|anthropic|google|x-?ai|deepseek)\/|openrouter\/auto)/;

/** Templates of open models raise an error for a system message anywhere but first. */
export const SYSTEM_FIRST: readonly Quirk[] = lacks(
  ['system-prompt-midway'],
  'approximated',
  'Templates of open models (Qwen, Llama, Gemma) reject a later system message, so it is sent as a user message.',
);

/** Only Anthropic's own models accept the role `system` in messages of its format. */
export const SYSTEM_BESIDE_MESSAGES: readonly Quirk[] = lacks(
  ['system-prompt-midway'],
  'approximated',
  'The compatible Messages API returns a 400 for a message with the role `system`, so it is sent as user text.',
);

/** Mistral's models enforce the order of messages in their templates, at any provider. */
export const MISTRAL_ORDER: Quirk = {
  kind: 'message-order',
  rule: 'answered-results',
  models: /(?:^|[/:])(?:[Mm]istral|[Mm]inistral|[Mm]agistral|[Mm]ixtral|[Dd]evstral|[Cc]odestral)/,
  why: 'Templates of Mistral models reject a user message after a tool result.',
};

/** Only OpenAI has freeform tools; all others have functions. */
export const FUNCTIONS_FOR_FREEFORM: readonly Quirk[] = [
  {
    kind: 'lacks',
    feature: 'custom-tools',
    verdict: 'approximated',
    isRefused: true,
    why: 'Only OpenAI has freeform tools; elsewhere each becomes a function with one string parameter, and its calls are converted back.',
  },
];

const FREEFORM_OF_GPT_5 = has(
  ['custom-tools'],
  'OpenAI has had them since GPT-5, also through other providers.',
  /(?:^|[/:])gpt-(?:[5-9]|\d\d)(?=[-.:]|$)/,
);

/** The same for providers that also serve OpenAI's models. */
export const FREEFORM_OF_OPENAI: readonly Quirk[] = [...FUNCTIONS_FOR_FREEFORM, ...FREEFORM_OF_GPT_5];

/** For servers with unknown models: a client of the server's own format may know them, and is relayed. */
export const FREEFORM_OF_ANYBODY: readonly Quirk[] = [
  ...lacks(['custom-tools'], 'approximated', 'An unknown server may support only functions.'),
  ...FREEFORM_OF_GPT_5,
];

/**
 * Features of OpenAI's chat completions that hosts of open models lack, according to their published parameter lists. A host that
 * has one of them adds a `has` after these.
 */
export const OPEN_MODEL_HOST: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  ...SYSTEM_FIRST,
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools', 'output-modalities'],
    'refused',
    'Only OpenAI supports it; hosts of open models offer text and function tools.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'provider-file'],
    'refused',
    'Hosts of open models accept only text and images in a message.',
  ),
  ...lacks(
    ['verbosity', 'cache-key', 'service-tier', 'metadata'],
    'dropped',
    'Only OpenAI has this parameter; hosts of open models ignore it or reject the request.',
  ),
  ...lacks(
    ['tool-choice-allowed'],
    'approximated',
    'Hosts of open models have no list of allowed tools, so only the allowed tools are declared.',
  ),
];

export const VIDEO_PART: readonly Quirk[] = has(
  ['video-inline', 'video-url'],
  'It accepts videos as parts of the type `video_url`, with a URL or data URI in `video_url.url`.',
);

/** Returns quirks that restore audio as at OpenAI, overriding OPEN_MODEL_HOST. */
export function audioPart(why: string, models?: RegExp): Quirk[] {
  return [
    ...has(['audio-inline'], why, models),
    ...lacks(['audio-url'], 'approximated', 'The gateway downloads the audio and sends its bytes.', models),
  ];
}

export const IMAGES_AS_BYTES: readonly Quirk[] = lacks(
  ['image-url'],
  'approximated',
  'The server does not download images, so the gateway downloads them and sends the bytes.',
);

export const TOP_K: readonly Quirk[] = has(['top-k'], 'It accepts `top_k` in addition to OpenAI’s parameters.');
