import type { Quirk } from '../../formats/quirk.ts';
import { lacks, OPEN_MODEL_HOST, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';

const GRADED = /^glm-(?:5\.[2-9]|[6-9])/;
const SWITCHED = /^glm-(?:4|5(?:\.[01])?(?![.\d]))/;

/** The reference "Chat Completion" and the guide "Thinking Mode" of docs.z.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  { kind: 'rename', from: 'user', to: 'user_id', why: 'The reference calls the end user `user_id`.' },
  ...VIDEO_PART,
  ...lacks(
    ['tool-choice-required', 'tool-choice-named'],
    'refused',
    'The reference: `tool_choice` is `auto` and nothing else.',
  ),
  ...lacks(
    ['json-schema'],
    'approximated',
    'The reference: `response_format` is `text` or `json_object`, so the schema is told in words.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The reference has no `n`.'),
  ...lacks(
    ['frequency-penalty', 'presence-penalty', 'logprobs', 'logit-bias', 'seed', 'participant-name', 'strict-tools'],
    'dropped',
    'The reference has no such parameter.',
  ),
  {
    kind: 'thinking-switch',
    style: 'thinking-type',
    models: /^glm-(?!5\.[3-9]|[6-9])/,
    why: 'The guide "Thinking Mode": `thinking.type` switches it; only GLM-5.3 cannot be kept from thinking.',
  },
  {
    kind: 'efforts',
    values: ['low', 'high', 'max'],
    models: GRADED,
    why: 'The pages of GLM-5.2 and GLM-5.3: `reasoning_effort` has these three.',
  },
  ...lacks(
    ['reasoning-effort'],
    'dropped',
    'The guide "Thinking Mode": before GLM-5.2 a model thinks or does not; there is nothing in between.',
    SWITCHED,
  ),
  ...takesReasoningBack(
    'reasoning_content',
    'The guide "Thinking Mode": `reasoning_content` goes back unchanged between the calls of tools.',
  ),
];
