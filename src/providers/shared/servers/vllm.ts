import { isRecord } from '../../../formats/shared/json/record.ts';
import type { Quirk } from '../../../formats/text/quirk.ts';
import {
  audioPart,
  FUNCTIONS_FOR_FREEFORM,
  lacks,
  OPEN_MODEL_HOST,
  SYSTEM_FIRST,
  TOP_K,
  takesReasoningBack,
  VIDEO_PART,
} from '../quirks.ts';
import type { ServerFamily } from './server-family.ts';
import { ownerOfModels } from './signs.ts';

/** Sources: the pages "OpenAI-Compatible Server", "Multimodal Inputs" and "Reasoning Outputs" of docs.vllm.ai. */
const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...TOP_K,
  ...VIDEO_PART,
  ...audioPart('The page "Multimodal Inputs": `input_audio` is the same as OpenAI’s.'),
  ...lacks(['user'], 'dropped', 'The page "Online Serving": the parameter `user` is ignored.'),
  {
    kind: 'thinking-switch',
    style: 'template-arguments',
    why: 'The page "Reasoning Outputs": `chat_template_kwargs` turns thinking on or off.',
  },
  ...takesReasoningBack(
    'reasoning',
    'Pull requests 27752 and 33402 of vLLM: the server reads `reasoning`, and since 0.16 ignores the older name `reasoning_content`.',
  ),
];

export const VLLM: ServerFamily = {
  name: 'vllm',
  label: 'vLLM',
  quirks: {
    'openai-chat': chatQuirks,
    'openai-responses': [...FUNCTIONS_FOR_FREEFORM, ...SYSTEM_FIRST],
    'anthropic-messages': SYSTEM_FIRST,
  },
  wires: { 'openai-embeddings': { embeddings: [{ hasBase64: true }] } },
  signs: [ownerOfModels('vllm'), { path: '/version', isIn: isVersionAlone }],
};

/** Returns whether the answer is `{"version": "0.11.0"}` and nothing else. */
function isVersionAlone(answer: unknown): boolean {
  return isRecord(answer) && typeof answer.version === 'string' && Object.keys(answer).length === 1;
}
