import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { lacks, NAMED_MAX_COMPLETION_TOKENS, OPEN_MODEL_HOST, takesReasoningBack } from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: the pages "OpenAI Compatibility" and "Chat Completions" of inference-docs.cerebras.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  NAMED_MAX_COMPLETION_TOKENS,
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logit-bias'],
    'dropped',
    'The page "OpenAI Compatibility": this field is not supported and returns a 400.',
  ),
  ...quirksOfFamilies(families, 'openai-chat'),
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'Cerebras returns a 400 for `reasoning`, `thinking` and `enable_thinking`, "property is unsupported".',
  },
  ...takesReasoningBack(
    'reasoning',
    'Responses have `reasoning` next to `content`; `reasoning_content` in a request is a 400.',
  ),
];
