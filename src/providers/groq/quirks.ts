import type { Quirk } from '../../formats/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { FUNCTIONS_FOR_FREEFORM, has, lacks, OPEN_MODEL_HOST } from '../shared/quirks.ts';
import { families } from './families.ts';

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
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The OpenAPI document has `reasoning_effort`; Groq answers members of other APIs with a 400.',
  },
  ...quirksOfFamilies(families, 'openai-chat'),
];

export const responsesQuirks: readonly Quirk[] = [
  ...quirksOfFamilies(families, 'openai-responses'),
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
