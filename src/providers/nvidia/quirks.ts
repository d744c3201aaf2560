import type { Quirk } from '../../formats/text/quirk.ts';
import { MISTRAL_ORDER, OPEN_MODEL_HOST, takesReasoningBack } from '../shared/quirks.ts';

/** The API catalog serves models with NIM containers, which run vLLM or SGLang (docs.nvidia.com/nim). */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  MISTRAL_ORDER,
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The models’ pages: `chat_template_kwargs` turns thinking on or off.',
  },
  ...takesReasoningBack(
    'reasoning_content',
    'Responses have `reasoning_content` next to `content`; it is sent back under the same name.',
  ),
];
