import type { Quirk } from '../../formats/text/quirk.ts';
import { has, lacks, MISTRAL_ORDER, OPEN_MODEL, TOP_K, takesReasoningBack, VIDEO_PART } from '../shared/quirks.ts';

/** Source: OpenRouter's OpenAPI document. OpenRouter itself drops parameters that a model does not support. */
export const chatQuirks: readonly Quirk[] = [
  MISTRAL_ORDER,
  ...lacks(
    ['system-prompt-midway'],
    'approximated',
    'Hosts of open models reject a later system message, so it is sent as a user message.',
    OPEN_MODEL,
  ),
  {
    kind: 'thinking-switch',
    style: 'reasoning-object',
    why: 'The OpenAPI document: `reasoning` has an effort, a token budget, and a switch.',
  },
  {
    kind: 'efforts',
    values: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    why: 'The OpenAPI document lists these seven efforts; OpenRouter maps them to those of each model.',
  },
  ...has(['reasoning-budget'], 'The OpenAPI document: `reasoning.max_tokens`.'),
  ...has(
    ['reasoning-summary'],
    'The OpenAPI document: `reasoning.summary`, and `reasoning.exclude`, which hides reasoning.',
  ),
  ...takesReasoningBack(
    'reasoning_details',
    'The OpenAPI document: `reasoning_details` have texts, signatures and encrypted items, and are sent back unchanged.',
  ),
  ...TOP_K,
  ...VIDEO_PART,
  ...has(['output-modalities'], 'The OpenAPI document: `modalities` may include `image`.'),
  ...has(['cache-marks'], "The OpenAPI document: a content part may have Anthropic's `cache_control`."),
];
