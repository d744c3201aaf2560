import type { Quirk } from '../../formats/text/quirk.ts';
import { has, lacks, takesReasoningBack } from '../shared/quirks.ts';

/** The sandbox is the gateway's own; docs/sandbox.md says what it understands. */
export const chatQuirks: readonly Quirk[] = [
  {
    kind: 'thinking-switch',
    style: 'reasoning-object',
    why: 'The sandbox accepts `reasoning`; it does not affect the amount.',
  },
  ...has(['reasoning-budget'], 'The sandbox accepts `reasoning.max_tokens`; it does not affect the amount.'),
  ...lacks(['reasoning-summary'], 'approximated', 'The sandbox has one kind of reasoning and always shows it.'),
  ...takesReasoningBack('reasoning_details', 'The sandbox returns and accepts `reasoning_details`.'),
];
