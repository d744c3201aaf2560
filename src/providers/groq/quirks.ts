import type { Quirk } from '../../formats/quirk.ts';
import { FUNCTIONS_FOR_FREEFORM, has, lacks, OPEN_MODEL_HOST, takesReasoningBack } from '../shared/quirks.ts';

const EFFORTS: Quirk = {
  kind: 'efforts',
  values: ['low', 'medium', 'high'],
  models: /gpt-oss/,
  why: 'The OpenAPI document: gpt-oss takes these three.',
};

/** Groq's OpenAPI document, and the page "OpenAI Compatibility" of console.groq.com. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...has(['service-tier'], 'The OpenAPI document has `service_tier`.'),
  ...lacks(
    ['logprobs', 'logit-bias', 'participant-name'],
    'dropped',
    'The page "OpenAI Compatibility": it is not supported and answered with a 400.',
  ),
  ...lacks(
    ['frequency-penalty', 'presence-penalty'],
    'dropped',
    'The OpenAPI document: it is not yet supported by any of the models.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The page "OpenAI Compatibility": `n` must be 1.'),
  {
    kind: 'set',
    field: 'reasoning_format',
    value: 'parsed',
    models: /qwen|deepseek/,
    why: 'Without it these models think between `<think>` tags within the answer; with it the reasoning is apart.',
  },
  EFFORTS,
  ...takesReasoningBack('reasoning', 'The OpenAPI document: an assistant message has `reasoning` beside `content`.'),
];

export const responsesQuirks: readonly Quirk[] = [
  EFFORTS,
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools'],
    'refused',
    'The OpenAPI document: tools of `/responses` are functions only.',
  ),
  ...lacks(
    ['cache-key', 'verbosity', 'logprobs'],
    'dropped',
    'The OpenAPI document of `/responses` has no such parameter.',
  ),
];
