import type { Quirk } from '../../formats/quirk.ts';
import { lacks, NAMED_MAX_COMPLETION_TOKENS, OPEN_MODEL_HOST, takesReasoningBack } from '../shared/quirks.ts';

/** The pages "OpenAI Compatibility" and "Chat Completions" of inference-docs.cerebras.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  NAMED_MAX_COMPLETION_TOKENS,
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logit-bias'],
    'dropped',
    'The page "OpenAI Compatibility": it is not supported and answered with a 400.',
  ),
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /gpt-oss/,
    why: 'The page of the model: gpt-oss takes these three.',
  },
  {
    kind: 'efforts',
    values: ['none', 'low', 'medium', 'high'],
    models: /qwen-3\.8/,
    why: 'The page of the model: Qwen 3.8 takes these four.',
  },
  ...takesReasoningBack(
    'reasoning',
    'Answers have `reasoning` beside `content`, and it goes back under the same name.',
  ),
];
