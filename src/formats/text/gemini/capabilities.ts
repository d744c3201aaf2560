import type { Carries } from '../../../domain/exchange/loss.ts';

/** How an upstream of Gemini's generateContent handles each feature (published document v1beta, and ai.google.dev). */
export const carries: Carries = {
  'max-output-tokens': 'exact',
  temperature: 'exact',
  'top-p': 'exact',
  'top-k': 'exact',
  'frequency-penalty': 'exact',
  'presence-penalty': 'exact',
  seed: 'exact',
  stop: 'exact',
  'candidate-count': 'exact',
  logprobs: 'exact',
  'logit-bias': { verdict: 'dropped', why: 'Gemini does not support logit bias' },
  'json-mode': 'exact',
  'json-schema': 'exact',
  verbosity: { verdict: 'dropped', why: 'Gemini does not support verbosity' },
  'output-modalities': 'exact',
  'reasoning-effort': 'exact',
  'reasoning-budget': 'exact',
  'reasoning-summary': 'exact',
  'reasoning-text': { verdict: 'dropped', why: 'Gemini accepts only its own reasoning' },
  'reasoning-state': 'exact',
  'function-tools': 'exact',
  'strict-tools': { verdict: 'dropped', why: 'Gemini has no strict mode for one tool' },
  'custom-tools': {
    verdict: 'approximated',
    why: 'Gemini has no freeform tools, so each becomes a function with one string parameter',
  },
  'web-search': 'exact',
  'hosted-tools': { verdict: 'refused', why: 'another provider runs the tool' },
  'tool-choice': 'exact',
  'tool-choice-required': 'exact',
  'tool-choice-named': 'exact',
  'tool-choice-allowed': 'exact',
  'parallel-tool-calls': { verdict: 'dropped', why: 'Gemini cannot be limited to one call at a time' },
  'tool-result-media': 'exact',
  'tool-result-error': 'exact',
  'system-prompt': 'exact',
  'system-prompt-midway': {
    verdict: 'approximated',
    why: 'Gemini has system instructions only at the start, so a later one is sent as a user turn',
  },
  'participant-name': { verdict: 'dropped', why: 'Gemini has no participant names' },
  text: 'exact',
  refusal: { verdict: 'approximated', why: 'Gemini has no refusals in a conversation, so a refusal is sent as text' },
  citations: { verdict: 'dropped', why: 'Gemini does not accept citations in a conversation' },
  'image-inline': 'exact',
  'image-url': 'exact',
  'image-detail': {
    verdict: 'dropped',
    why: 'Gemini has one level of detail for all media in a request (mediaResolution)',
  },
  'audio-inline': 'exact',
  'audio-url': 'exact',
  'video-inline': 'exact',
  'video-url': 'exact',
  'document-inline': 'exact',
  'document-url': 'exact',
  'document-text': { verdict: 'approximated', why: 'a plain-text document is sent as text' },
  'document-details': { verdict: 'dropped', why: 'Gemini does not accept a title or context for a document' },
  'provider-file': { verdict: 'refused', why: 'the file is stored by another provider' },
  'cache-marks': { verdict: 'dropped', why: 'Gemini caches prompts automatically' },
  'cache-key': { verdict: 'dropped', why: 'Gemini caches prompts automatically' },
  user: { verdict: 'dropped', why: 'Gemini has no field for the end user' },
  metadata: { verdict: 'dropped', why: 'Gemini does not support metadata' },
  'service-tier': { verdict: 'dropped', why: 'service tiers differ between providers' },
  'unknown-blocks': { verdict: 'refused', why: 'only an upstream of the same format understands this part' },
};

/**
 * Returns whether signatures are required: Gemini 3 refuses a turn whose first function call comes back without its signature
 * (ai.google.dev, "Thought signatures").
 */
export function needsSignatures(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d|flash-latest|pro-latest)/.test(model);
}

/**
 * The value that Google documents as a replacement for a missing signature, for calls that its model did not make (the same
 * page: history of another model, or calls that the client wrote itself). Without it such a conversation could not be
 * continued.
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

const GENERATION_3 = /gemini-(?:[3-9]|\d\d)|gemini-(?:flash|flash-lite|pro)-latest/;

/**
 * Returns whether functions, Google's own tools and JSON answers can be combined (ai.google.dev, "Structured outputs" and
 * "Combine built-in tools and function calling": Gemini 3 and later; earlier models refuse any two of them).
 */
export function combinesTools(model: string): boolean {
  return GENERATION_3.test(model);
}

/** Returns a model's output limit (the models' pages). Vertex AI refuses a larger value, and so does Google for some models. */
export function mostOutputTokens(model: string): number | null {
  if (/gemini-(?:1|2\.0)/.test(model)) return 8_192;
  return /gemini-/.test(model) ? 65_535 : null;
}

/**
 * Returns whether a function's response may contain media (ai.google.dev, "Function calling", multimodal responses: Gemini 3 and
 * later).
 */
export function takesMediaInResponses(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d|flash-latest|pro-latest)/.test(model);
}
