import type { Quirk } from '../../../formats/text/quirk.ts';
import {
  FUNCTIONS_FOR_FREEFORM,
  IMAGES_AS_BYTES,
  lacks,
  OPEN_MODEL_HOST,
  SYSTEM_FIRST,
  TOP_K,
  takesReasoningBack,
} from '../quirks.ts';
import type { ServerFamily } from './server-family.ts';
import { ownerOfModels } from './signs.ts';

/** Source: the pages "OpenAI Compatible Endpoints" of lmstudio.ai/docs. */
const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...IMAGES_AS_BYTES,
  ...lacks(
    ['tool-choice-named'],
    'approximated',
    'The page "Tool Use": `tool_choice` is a string, so only the named tool is declared, and required.',
  ),
  ...lacks(
    ['json-mode'],
    'approximated',
    'LM Studio’s issue 189: it returns a 400 for `json_object`, so a schema for any object is sent.',
  ),
  ...lacks(['logprobs', 'user'], 'dropped', 'The page "Chat Completions" does not list this parameter.'),
  ...lacks(['candidate-count'], 'refused', 'The page "Chat Completions" does not list `n`.'),
  ...takesReasoningBack(
    'reasoning_content',
    'Reasoning is separate, in `reasoning_content`, which the models’ templates read.',
  ),
];

const messagesQuirks: readonly Quirk[] = [...SYSTEM_FIRST, ...IMAGES_AS_BYTES];
const responsesQuirks: readonly Quirk[] = [...FUNCTIONS_FOR_FREEFORM, ...SYSTEM_FIRST, ...IMAGES_AS_BYTES];

export const LM_STUDIO: ServerFamily = {
  name: 'lm-studio',
  label: 'LM Studio',
  quirks: { 'openai-chat': chatQuirks, 'openai-responses': responsesQuirks, 'anthropic-messages': messagesQuirks },
  wires: {},
  signs: [ownerOfModels('organization_owner')],
};
