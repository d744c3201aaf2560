import type { Carries } from '../../../domain/exchange/loss.ts';

/*
 * The features of Cohere's chat API (docs.cohere.com, API reference v2, "Chat"). Quirks describe features that only some
 * models have.
 */

const NO_FIELD = 'Cohere does not support this setting';
const NO_MEDIA = 'Cohere accepts only text and images';
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
  'reasoning-effort': { verdict: 'approximated', why: 'Cohere accepts a token budget for reasoning' },
  'reasoning-budget': 'exact',
  'reasoning-summary': { verdict: 'approximated', why: 'Cohere always returns its full reasoning' },
  'reasoning-text': 'exact',
  'reasoning-state': 'exact',
  'function-tools': 'exact',
  'strict-tools': 'exact',
  'custom-tools': {
    verdict: 'approximated',
    why: 'Cohere tools take JSON input, so a freeform tool becomes a function with one string parameter',
  },
  'web-search': { verdict: 'refused', why: 'Cohere does not run web searches in this API' },
  'hosted-tools': { verdict: 'refused', why: 'Cohere does not run other vendors’ tools' },
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
  'tool-result-media': { verdict: 'refused', why: 'Cohere accepts only text and text documents as a tool result' },
  'tool-result-error': { verdict: 'dropped', why: 'Cohere has no error flag for tool results, only their text' },
  'system-prompt': 'exact',
  'system-prompt-midway': 'exact',
  'participant-name': { verdict: 'dropped', why: 'Cohere messages have no participant names' },
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
  'document-inline': { verdict: 'refused', why: 'Cohere accepts documents only as text' },
  'document-url': { verdict: 'refused', why: 'Cohere accepts documents only as text' },
  'document-text': 'exact',
  'document-details': 'exact',
  'provider-file': { verdict: 'refused', why: 'Cohere cannot read a file stored by another provider' },
  'cache-marks': { verdict: 'dropped', why: 'Cohere caches prompts automatically' },
  'cache-key': { verdict: 'dropped', why: NO_FIELD },
  user: { verdict: 'dropped', why: NO_FIELD },
  metadata: { verdict: 'dropped', why: NO_FIELD },
  'service-tier': { verdict: 'dropped', why: NO_FIELD },
  'unknown-blocks': { verdict: 'refused', why: 'this block exists only in its own format' },
};
