import type { Quirk } from '../../formats/quirk.ts';
import { audioPart, has, lacks, OPEN_MODEL_HOST, TOP_K, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';

/** The pages "OpenAI compatible - Chat" and "Deep thinking" of Model Studio. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...audioPart('The Omni models take `input_audio` as at OpenAI.', /omni|audio/),
  {
    kind: 'thinking-switch',
    style: 'enable-thinking',
    why: 'The page "Deep thinking": `enable_thinking` switches it, `thinking_budget` bounds it.',
  },
  ...has(['reasoning-budget'], 'The page "Deep thinking": `thinking_budget` is a number of tokens.'),
  ...lacks(
    ['reasoning-effort'],
    'approximated',
    'The page "Deep thinking" knows a switch and a number of tokens, not an effort.',
  ),
  ...takesReasoningBack(
    'reasoning_content',
    'The page "Deep thinking": reasoning comes as `reasoning_content`, and goes back under the same name.',
  ),
  ...lacks(
    ['tool-choice-required'],
    'refused',
    'The reference: `tool_choice` is `auto`, `none`, or the name of one function.',
  ),
  ...lacks(['logit-bias', 'user'], 'dropped', 'The reference has no such parameter.'),
];
