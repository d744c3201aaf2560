import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { has, lacks, OPEN_MODEL_HOST, TOP_K, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: the pages "OpenAI compatible - Chat" and "Deep thinking" of Model Studio. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...quirksOfFamilies(families, 'openai-chat'),
  {
    kind: 'thinking-switch',
    style: 'enable-thinking',
    why: 'The page "Deep thinking": `enable_thinking` turns thinking on or off, and `thinking_budget` limits it.',
  },
  ...has(['reasoning-budget'], 'The page "Deep thinking": `thinking_budget` is a number of tokens.'),
  ...lacks(
    ['reasoning-effort'],
    'approximated',
    'The page "Deep thinking" has a switch and a token budget, but no effort level.',
  ),
  ...takesReasoningBack(
    'reasoning_content',
    'The page "Deep thinking": reasoning is in `reasoning_content`, and is sent back under the same name.',
  ),
  ...lacks(
    ['tool-choice-required'],
    'refused',
    'The reference: `tool_choice` is `auto`, `none`, or the name of one function.',
  ),
  {
    kind: 'unforced-while-thinking',
    why: 'The page "Function calling": while the model thinks, `tool_choice` may not name a function.',
  },
  ...lacks(['logit-bias', 'user'], 'dropped', 'The reference does not list this parameter.'),
];
