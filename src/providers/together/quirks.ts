import type { Quirk } from '../../formats/text/quirk.ts';
import { lacks, OPEN_MODEL_HOST, TOP_K, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';

/** Source: Together's OpenAPI document. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...takesReasoningBack(
    'reasoning',
    'Responses have `reasoning` next to `content`; it is sent back under the same name.',
  ),
  ...lacks(
    ['logprobs'],
    'dropped',
    'The OpenAPI document: `logprobs` is a count, and OpenAI’s two parameters do not exist.',
  ),
  ...lacks(['user', 'parallel-tool-calls'], 'dropped', 'The OpenAPI document does not list this parameter.'),
];
