import type { Quirk } from '../../../formats/text/quirk.ts';
import {
  audioPart,
  FUNCTIONS_FOR_FREEFORM,
  OPEN_MODEL_HOST,
  SYSTEM_FIRST,
  TOP_K,
  takesReasoningBack,
  VIDEO_PART,
} from '../quirks.ts';
import type { ServerFamily } from './server-family.ts';
import { objectAt, ownerOfModels } from './signs.ts';

/** Sources: the pages "OpenAI APIs", "OpenAI APIs - Vision" and "Reasoning Parser" of docs.sglang.ai. */
const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...audioPart('The page "OpenAI APIs - Vision": audio models accept audio in a message.'),
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The page "Reasoning Parser": `chat_template_kwargs` turns thinking on or off.',
  },
  ...takesReasoningBack(
    'reasoning_content',
    'The page "Reasoning Parser": reasoning is separate from the answer, in `reasoning_content`.',
  ),
];

export const SGLANG: ServerFamily = {
  name: 'sglang',
  label: 'SGLang',
  quirks: {
    'openai-chat': chatQuirks,
    'openai-responses': [...FUNCTIONS_FOR_FREEFORM, ...SYSTEM_FIRST],
    'anthropic-messages': SYSTEM_FIRST,
  },
  wires: {},
  signs: [ownerOfModels('sglang'), objectAt('/get_model_info', 'model_path', 'is_generation')],
};
