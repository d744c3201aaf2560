import type { Carries } from '../../../domain/exchange/loss.ts';

const NO_FIELD = 'the Converse API has no such setting';
const FETCHED = 'Bedrock reads s3:// addresses only; the gateway fetches all others and sends their bytes';
const TEXT_ONLY = 'the Converse API answers in one candidate of text and tool calls';

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
  logprobs: { verdict: 'dropped', why: 'the Converse API reports no log probabilities' },
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
    why: 'the Converse API has only tools that take JSON, so a freeform one becomes a function with one text',
  },
  'web-search': { verdict: 'refused', why: 'the Converse API runs no web search' },
  'hosted-tools': { verdict: 'refused', why: 'the Converse API runs no tools of other vendors' },
  'tool-choice': 'exact',
  'tool-choice-required': 'exact',
  'tool-choice-named': 'exact',
  'tool-choice-allowed': {
    verdict: 'approximated',
    why: 'the Converse API cannot choose among tools, so only the allowed ones are declared',
  },
  'parallel-tool-calls': 'exact',
  'tool-result-media': 'exact',
  'tool-result-error': 'exact',
  'system-prompt': 'exact',
  'system-prompt-midway': {
    verdict: 'approximated',
    why: 'the Converse API has one system prompt at the beginning, so a later one is sent as text of the user at its place',
  },
  'participant-name': { verdict: 'dropped', why: 'the Converse API knows no names of participants' },
  text: 'exact',
  refusal: { verdict: 'approximated', why: 'an earlier refusal goes back as ordinary text' },
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
  'provider-file': { verdict: 'refused', why: 'a file stored at another provider cannot be read by Bedrock' },
  'cache-marks': 'exact',
  'cache-key': { verdict: 'dropped', why: NO_FIELD },
  user: { verdict: 'dropped', why: NO_FIELD },
  metadata: 'exact',
  'service-tier': 'exact',
  'unknown-blocks': { verdict: 'refused', why: 'the block means something only in the format that it came in' },
};
