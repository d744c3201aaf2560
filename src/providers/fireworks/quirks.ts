import type { Quirk } from '../../formats/text/quirk.ts';
import { OPEN_MODEL_HOST, TOP_K, takesReasoningBack } from '../shared/quirks.ts';

/** Fireworks answers unknown members with "Extra inputs are not permitted". */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The page "Reasoning" of docs.fireworks.ai has `reasoning_effort`; fields of other APIs are unknown inputs.',
  },
  ...takesReasoningBack(
    'reasoning_content',
    'The page "Reasoning" of docs.fireworks.ai: `reasoning_content` of earlier turns is sent back in the messages.',
  ),
];
