import type { Quirk } from '../../formats/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import {
  lacks,
  NAMED_MAX_COMPLETION_TOKENS,
  OPEN_MODEL_HOST,
  SYSTEM_BESIDE_MESSAGES,
  takesReasoningBack,
} from '../shared/quirks.ts';
import { families } from './families.ts';

/** Source: the page "Compatible OpenAI API" of platform.minimax.io. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  NAMED_MAX_COMPLETION_TOKENS,
  {
    kind: 'set',
    field: 'reasoning_split',
    value: true,
    why: 'Without it the model thinks between `<think>` tags within the answer; with it in `reasoning_details`.',
  },
  ...takesReasoningBack(
    'reasoning_details',
    'The page demands that the whole assistant message goes back, its `reasoning_details` included.',
  ),
  {
    kind: 'bounds',
    field: 'temperature',
    least: 0.01,
    most: 1,
    why: 'The page: the temperature is above 0 and at most 1, and other values are answered with an error.',
  },
  ...lacks(
    ['presence-penalty', 'frequency-penalty', 'logit-bias'],
    'dropped',
    'The page lists it among the parameters that are ignored.',
  ),
  ...lacks(
    ['reasoning-effort', 'reasoning-budget'],
    'dropped',
    'The page knows no effort: the M2 models always think, M3 as much as it finds right.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The page: `n` is 1 and nothing else.'),
  ...quirksOfFamilies(families, 'openai-chat'),
];

/** Source: the page "Compatible Anthropic API". */
export const messagesQuirks: readonly Quirk[] = [
  ...SYSTEM_BESIDE_MESSAGES,
  ...lacks(['top-k', 'service-tier'], 'dropped', 'The page lists it among the parameters that are ignored.'),
  ...lacks(['stop'], 'refused', 'The page lists `stop_sequences` among the parameters that are ignored.'),
  ...lacks(
    ['document-inline', 'document-url', 'document-text', 'hosted-tools'],
    'refused',
    'The page has texts, thinking, tools, and with M3 images and videos; nothing else.',
  ),
  ...quirksOfFamilies(families, 'anthropic-messages'),
];
