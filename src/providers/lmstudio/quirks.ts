import type { Quirk } from '../../formats/quirk.ts';
import {
  FUNCTIONS_FOR_FREEFORM,
  IMAGES_AS_BYTES,
  lacks,
  OPEN_MODEL_HOST,
  TOP_K,
  takesReasoningBack,
} from '../shared/quirks.ts';

/** The pages "OpenAI Compatible Endpoints" of lmstudio.ai/docs. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...IMAGES_AS_BYTES,
  ...lacks(
    ['tool-choice-named'],
    'approximated',
    'The page "Tool Use": `tool_choice` is a word, so only the named tool is offered, and required.',
  ),
  ...lacks(['logprobs', 'user'], 'dropped', 'The page "Chat Completions" has no such parameter.'),
  ...lacks(['candidate-count'], 'refused', 'The page "Chat Completions" has no `n`.'),
  ...takesReasoningBack(
    'reasoning_content',
    'Reasoning is apart from the answer as `reasoning_content`, which the templates of the models read.',
  ),
];

export const messagesQuirks: readonly Quirk[] = IMAGES_AS_BYTES;
export const responsesQuirks: readonly Quirk[] = [...FUNCTIONS_FOR_FREEFORM, ...IMAGES_AS_BYTES];
