import type { Quirk } from '../../formats/text/quirk.ts';
import { lacks, OPEN_MODEL_HOST, TOP_K } from '../shared/quirks.ts';

/** Source: the reference of docs.sambanova.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs', 'logit-bias'],
    'dropped',
    'The reference lists this field as ignored.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The reference: each request gets one response.'),
];

/** Source: the page "Messages API". */
export const messagesQuirks: readonly Quirk[] = [
  ...lacks(['web-search', 'hosted-tools'], 'refused', 'The page "Messages API": only client tools are supported.'),
];
