import type { Quirk } from '../../formats/text/quirk.ts';
import { has, lacks, OPEN_MODEL, takesReasoningBack } from '../shared/quirks.ts';

/** Sources: the pages on chat completions of AI Gateway, vercel.com/docs/ai-gateway. */
export const chatQuirks: readonly Quirk[] = [
  ...lacks(
    ['system-prompt-midway'],
    'approximated',
    'Hosts of open models reject a later system message, so it is sent as a user message.',
    OPEN_MODEL,
  ),
  {
    kind: 'thinking-switch',
    style: 'reasoning-object',
    why: 'The page "Reasoning": the `reasoning` object has an effort, a token budget, and a switch.',
  },
  ...has(['reasoning-budget'], 'The page "Reasoning": `reasoning.max_tokens`.'),
  ...has(['reasoning-summary'], 'The page "Reasoning": `reasoning.exclude` leaves reasoning out of the response.'),
  ...takesReasoningBack(
    'reasoning_details',
    'The page "Reasoning": `reasoning_details` have signatures and encrypted items, and are sent back unchanged.',
  ),
];
