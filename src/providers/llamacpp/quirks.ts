import type { Quirk } from '../../formats/quirk.ts';
import { audioPart, lacks, OPEN_MODEL_HOST, TOP_K, takesReasoningBack } from '../shared/quirks.ts';

/** The server's README, and recorded error answers. */
export const chatQuirks: readonly Quirk[] = [
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
