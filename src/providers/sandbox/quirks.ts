import type { Quirk } from '../../formats/quirk.ts';
import { has, lacks, takesReasoningBack } from '../shared/quirks.ts';

/** The sandbox is the gateway's own; docs/sandbox.md says what it understands. */
export const chatQuirks: readonly Quirk[] = [
  {
    kind: 'thinking-switch',
    style: 'reasoning-object',
    why: 'The sandbox reads `reasoning`, and thinks as much whatever the measure.',
  },
  ...has(['reasoning-budget'], 'The sandbox reads `reasoning.max_tokens`, and thinks as much whatever it says.'),
  ...lacks(
    ['reasoning-summary'],
    'approximated',
    'The sandbox has one kind of thoughts, and shows them wherever it thinks.',
  ),
  ...takesReasoningBack('reasoning_details', 'The sandbox writes and takes back `reasoning_details`.'),
];
