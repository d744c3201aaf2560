import type { Carries } from '../../../domain/exchange/loss.ts';

/*
 * The features of Cohere's chat API (docs.cohere.com, API reference v2, "Chat"). Quirks describe features that only some
 * models have.
 */

const NO_FIELD = 'Cohere has no such setting';
const NO_MEDIA = 'Cohere takes text and images only';
const ANSWERS = 'Cohere returns one candidate with text and tool calls';

export const carries: Carries = {
  'max-output-tokens': 'exact',
  temperature: 'exact',
  'top-p': 'exact',
  'top-k': 'exact',
  'frequency-penalty': 'exact',
  'presence-penalty': 'exact',
  seed: 'exact',
  stop: 'exact',
  'candidate-count': { verdict: 'refused', why: ANSWERS },
  logprobs: 'exact',
  'logit-bias': { verdict: 'dropped', why: NO_FIELD },
  'json-mode': 'exact',
  'json-schema': 'exact',
  verbosity: { verdict: 'dropped', why: NO_FIELD },
  'output-modalities': { verdict: 'refused', why: ANSWERS },
  'reasoning-effort': { verdict: 'approximated', why: 'Cohere takes a token budget for reasoning' },
  'reasoning-budget': 'exact',
  'reasoning-summary': { verdict: 'approximated', why: 'Cohere returns its whole reasoning' },
  'reasoning-text': 'exact',
  'reasoning-state': 'exact',
  'function-tools': 'exact',
  'strict-tools': 'exact',
  'custom-tools': {
    verdict: 'approximated',
    why: 'Cohere has only tools with JSON input, so a freeform tool becomes a function with one string parameter',
  },
  'web-search': { verdict: 'refused', why: 'Cohere runs no web search in this API' },
  'hosted-tools': { verdict: 'refused', why: 'Cohere runs no tools of other vendors' },
  'tool-choice': 'exact',
  'tool-choice-required': 'exact',
  'tool-choice-named': {
    verdict: 'approximated',
    why: 'Cohere cannot name the tool to call, so only that one is declared and a call is required',
  },
  'tool-choice-allowed': {
    verdict: 'approximated',
    why: 'Cohere cannot restrict the choice of tools, so only the allowed ones are declared',
  },
  'parallel-tool-calls': { verdict: 'dropped', why: NO_FIELD },
  'tool-result-media': { verdict: 'refused', why: "Cohere takes only text and text documents as a tool's result" },
  'tool-result-error': { verdict: 'dropped', why: 'Cohere has no error flag for tool results, only their text' },
  'system-prompt': 'exact',
  'system-prompt-midway': 'exact',
  'participant-name': { verdict: 'dropped', why: 'Cohere has no participant names' },
  text: 'exact',
  refusal: { verdict: 'approximated', why: 'an earlier refusal is sent as text' },
  citations: 'exact',
  'image-inline': 'exact',
  'image-url': 'exact',
  'image-detail': 'exact',
  'audio-inline': { verdict: 'refused', why: NO_MEDIA },
  'audio-url': { verdict: 'refused', why: NO_MEDIA },
  'video-inline': { verdict: 'refused', why: NO_MEDIA },
  'video-url': { verdict: 'refused', why: NO_MEDIA },
  'document-inline': { verdict: 'refused', why: 'Cohere takes documents as text only' },
  'document-url': { verdict: 'refused', why: 'Cohere takes documents as text only' },
  'document-text': 'exact',
  'document-details': 'exact',
  'provider-file': { verdict: 'refused', why: 'a file stored at another provider cannot be read by Cohere' },
  'cache-marks': { verdict: 'dropped', why: 'Cohere caches prompts automatically' },
  'cache-key': { verdict: 'dropped', why: NO_FIELD },
  user: { verdict: 'dropped', why: NO_FIELD },
  metadata: { verdict: 'dropped', why: NO_FIELD },
  'service-tier': { verdict: 'dropped', why: NO_FIELD },
  'unknown-blocks': { verdict: 'refused', why: 'the block exists only in its own format' },
};
