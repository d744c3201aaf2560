import type { Carries } from '../../../domain/exchange/loss.ts';

const NO_FIELD = 'the Converse API does not support this setting';
const FETCHED = 'Bedrock reads only s3:// addresses, so the gateway downloads others and sends their bytes';
const TEXT_ONLY = 'the Converse API returns one candidate with text and tool calls';

/**
 * The features of the API according to Amazon (Bedrock API reference, "Converse"). The provider's quirks state which models
 * do not accept a field.
 */
export const carries: Carries = {
  'max-output-tokens': 'exact',
  temperature: 'exact',
  'top-p': 'exact',
  'top-k': 'exact',
  'frequency-penalty': { verdict: 'dropped', why: NO_FIELD },
  'presence-penalty': { verdict: 'dropped', why: NO_FIELD },
  seed: { verdict: 'dropped', why: NO_FIELD },
  stop: 'exact',
  'candidate-count': { verdict: 'refused', why: TEXT_ONLY },
  logprobs: { verdict: 'dropped', why: 'the Converse API does not report log probabilities' },
  'logit-bias': { verdict: 'dropped', why: NO_FIELD },
  'json-mode': {
    verdict: 'approximated',
    why: 'the Converse API has no JSON mode without a schema, so the system prompt asks for a JSON object',
  },
  'json-schema': 'exact',
  verbosity: { verdict: 'dropped', why: NO_FIELD },
  'output-modalities': { verdict: 'refused', why: TEXT_ONLY },
  'reasoning-effort': 'exact',
  'reasoning-budget': 'exact',
  'reasoning-summary': 'exact',
  'reasoning-text': 'exact',
  'reasoning-state': 'exact',
  'function-tools': 'exact',
  'strict-tools': 'exact',
  'custom-tools': {
    verdict: 'approximated',
    why: 'Converse tools take JSON input, so a freeform tool becomes a function with one string parameter',
  },
  'web-search': { verdict: 'refused', why: 'the Converse API does not run web searches' },
  'hosted-tools': { verdict: 'refused', why: 'the Converse API does not run other vendors’ tools' },
  'tool-choice': 'exact',
  'tool-choice-required': 'exact',
  'tool-choice-named': 'exact',
  'tool-choice-allowed': {
    verdict: 'approximated',
    why: 'the Converse API cannot restrict the choice of tools, so only the allowed ones are declared',
  },
  'parallel-tool-calls': 'exact',
  'tool-result-media': 'exact',
  'tool-result-error': 'exact',
  'system-prompt': 'exact',
  'system-prompt-midway': {
    verdict: 'approximated',
    why: 'the Converse API has one system prompt at the start, so a later one is sent as user text',
  },
  'participant-name': { verdict: 'dropped', why: 'Converse messages have no participant names' },
  text: 'exact',
  refusal: { verdict: 'approximated', why: 'an earlier refusal is sent as text' },
  citations: 'exact',
  'image-inline': 'exact',
  'image-url': { verdict: 'approximated', why: FETCHED },
  'image-detail': { verdict: 'dropped', why: NO_FIELD },
  'audio-inline': 'exact',
  'audio-url': { verdict: 'approximated', why: FETCHED },
  'video-inline': 'exact',
  'video-url': { verdict: 'approximated', why: FETCHED },
  'document-inline': 'exact',
  'document-url': { verdict: 'approximated', why: FETCHED },
  'document-text': 'exact',
  'document-details': 'exact',
  'provider-file': { verdict: 'refused', why: 'Bedrock cannot read a file stored by another provider' },
  'cache-marks': 'exact',
  'cache-key': { verdict: 'dropped', why: NO_FIELD },
  user: { verdict: 'dropped', why: NO_FIELD },
  metadata: 'exact',
  'service-tier': 'exact',
  'unknown-blocks': { verdict: 'refused', why: 'this block exists only in its own format' },
};
