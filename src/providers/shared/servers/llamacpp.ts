import type { Quirk } from '../../../formats/text/quirk.ts';
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
  ...audioPart('The README: audio models accept `input_audio`.'),
  ...lacks(
    ['video-inline', 'video-url'],
    'refused',
    'A recorded response to a video is a 400: "unsupported content[].type".',
  ),
  ...lacks(
    ['tool-choice-named'],
    'approximated',
    'The server reads `tool_choice` only as a string, so only the named tool is declared, and required.',
  ),
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The README: `chat_template_kwargs` turns thinking on or off.',
  },
  ...takesReasoningBack(
    'reasoning_content',
    'The README: reasoning is separate, in `reasoning_content`; recorded requests send it back.',
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
