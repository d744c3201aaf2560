import type { Quirk } from '../../formats/quirk.ts';
import {
  FUNCTIONS_FOR_FREEFORM,
  has,
  IMAGES_AS_BYTES,
  lacks,
  NAMED_MAX_COMPLETION_TOKENS,
  OPEN_MODEL_HOST,
  takesReasoningBack,
} from '../shared/quirks.ts';

const KIMI = /^kimi-/;
const GRADED = /^kimi-k(?:[3-9]|\d\d)/;
const SWITCHED = /^kimi-k2\.[56]/;

const sampling: readonly Quirk[] = lacks(
  ['temperature', 'top-p', 'frequency-penalty', 'presence-penalty'],
  'dropped',
  'The model parameter reference: sampling is fixed for Kimi models, and other values are answered with a 400.',
  KIMI,
);

const efforts: readonly Quirk[] = [
  {
    kind: 'efforts',
    values: ['low', 'high', 'max'],
    models: GRADED,
    why: 'The guide "Use reasoning effort": K3 takes these three, and its thinking cannot be switched off.',
  },
  ...lacks(
    ['reasoning-effort'],
    'dropped',
    'The guide "Use thinking": K2.5 and K2.6 think or do not; there is nothing in between.',
    SWITCHED,
  ),
  ...lacks(
    ['reasoning-effort', 'reasoning-budget'],
    'dropped',
    'The guide "Use thinking": K2.7 Code always thinks, at one effort.',
    /^kimi-k2\.7|^kimi-k2-thinking/,
  ),
];

/** The guides of platform.kimi.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  NAMED_MAX_COMPLETION_TOKENS,
  ...has(['cache-key'], 'The reference of chat completions has `prompt_cache_key`.'),
  ...sampling,
  ...lacks(['candidate-count'], 'refused', 'The model parameter reference: `n` is fixed for Kimi models.', KIMI),
  ...lacks(['logprobs', 'logit-bias'], 'dropped', 'The reference of chat completions has no such parameter.'),
  {
    kind: 'thinking-switch',
    style: 'thinking-type',
    models: SWITCHED,
    why: 'The guide "Use thinking": thinking is on by default, and `thinking.type` switches it off.',
  },
  ...efforts,
  ...takesReasoningBack(
    'reasoning_content',
    'The guides: an assistant message goes back whole, its `reasoning_content` included, within a loop of tool calls.',
  ),
  ...IMAGES_AS_BYTES,
];

export const messagesQuirks: readonly Quirk[] = [...sampling, ...efforts, ...IMAGES_AS_BYTES];
export const responsesQuirks: readonly Quirk[] = [...FUNCTIONS_FOR_FREEFORM, ...messagesQuirks];
