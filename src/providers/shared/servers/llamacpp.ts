import type { Quirk } from '../../../formats/quirk.ts';
import {
  audioPart,
  FUNCTIONS_FOR_FREEFORM,
  lacks,
  OPEN_MODEL_HOST,
  SYSTEM_FIRST,
  TOP_K,
  takesReasoningBack,
} from '../quirks.ts';
import type { ServerFamily } from './server-family.ts';
import { objectAt, ownerOfModels } from './signs.ts';

/** Sources: the server's README, and recorded error responses. */
const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...audioPart('The README: models that hear take `input_audio`.'),
  ...lacks(
    ['video-inline', 'video-url'],
    'refused',
    'A recorded answer to a video is a 400: "unsupported content[].type".',
  ),
  ...lacks(
    ['tool-choice-named'],
    'approximated',
    'The server reads `tool_choice` as a word only, so just the named tool is offered, and required.',
  ),
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The README: thinking is switched by `chat_template_kwargs`.',
  },
  ...takesReasoningBack(
    'reasoning_content',
    'The README: reasoning is apart from the answer as `reasoning_content`; recorded requests send it back.',
  ),
];

export const LLAMA_CPP: ServerFamily = {
  name: 'llama.cpp',
  label: 'llama.cpp server',
  quirks: {
    'openai-chat': chatQuirks,
    'openai-responses': [...FUNCTIONS_FOR_FREEFORM, ...SYSTEM_FIRST],
    'anthropic-messages': SYSTEM_FIRST,
  },
  wires: { 'openai-embeddings': { embeddings: [{ hasBase64: true }] } },
  signs: [ownerOfModels('llamacpp'), objectAt('/props', 'default_generation_settings')],
};
