import type { Quirk } from '../../formats/quirk.ts';
import { audioPart, lacks, OPEN_MODEL_HOST, TOP_K, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';

/** The pages "OpenAI-Compatible Server", "Multimodal Inputs" and "Reasoning Outputs" of docs.vllm.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...audioPart('The page "Multimodal Inputs": `input_audio` is as at OpenAI.'),
  ...lacks(['user'], 'dropped', 'The page "Online Serving": the parameter `user` is ignored.'),
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The page "Reasoning Outputs": thinking is switched by `chat_template_kwargs`.',
  },
  ...takesReasoningBack(
    'reasoning',
    'Its pull requests 27752 and 33402: it reads `reasoning`, and since 0.16 ignores the older name `reasoning_content`.',
  ),
];
