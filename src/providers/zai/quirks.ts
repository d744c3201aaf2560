import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { lacks, OPEN_MODEL_HOST, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: the reference "Chat Completion" and the guide "Thinking Mode" of docs.z.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  {
    kind: 'rename',
    from: 'user',
    to: 'user_id',
    isRefused: true,
    why: 'The reference: the field for the end user is `user_id`.',
  },
  ...VIDEO_PART,
  ...lacks(['tool-choice-required', 'tool-choice-named'], 'refused', 'The reference: `tool_choice` must be `auto`.'),
  ...lacks(
    ['json-schema'],
    'approximated',
    'The reference: `response_format` is `text` or `json_object`, so the schema is part of the prompt.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The reference does not list `n`.'),
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs', 'logit-bias', 'seed', 'participant-name', 'strict-tools'],
    'dropped',
    'The reference does not list this parameter.',
  ),
  ...quirksOfFamilies(families, 'openai-chat'),
  ...takesReasoningBack(
    'reasoning_content',
    'The guide "Thinking Mode": `reasoning_content` is sent back unchanged between tool calls.',
  ),
];
