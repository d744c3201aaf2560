import type { Quirk } from '../../formats/quirk.ts';
import { has, takesReasoningBack } from '../shared/quirks.ts';

/** The pages on chat completions of AI Gateway, vercel.com/docs/ai-gateway. */
export const chatQuirks: readonly Quirk[] = [
  {
    kind: 'thinking-switch',
    style: 'reasoning-object',
    why: 'The page "Reasoning": the `reasoning` object has an effort, a number of tokens, and a switch.',
  },
  ...has(['reasoning-budget'], 'The page "Reasoning": `reasoning.max_tokens`.'),
  ...has(['reasoning-summary'], 'The page "Reasoning": `reasoning.exclude` keeps thoughts out of the answer.'),
  ...takesReasoningBack(
    'reasoning_details',
    'The page "Reasoning": `reasoning_details` keep signatures and encrypted items, and go back as they came.',
  ),
];
