import type { Quirk } from '../../formats/text/quirk.ts';
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
    why: 'Without it, reasoning is between `<think>` tags in the response; with it, in `reasoning_details`.',
  },
  ...takesReasoningBack(
    'reasoning_details',
    'The page requires the whole assistant message to be sent back, including `reasoning_details`.',
  ),
  {
    kind: 'bounds',
    field: 'temperature',
    least: 0.01,
    most: 1,
    why: 'The page: the temperature must be above 0 and at most 1; other values return an error.',
  },
  ...lacks(['presence-penalty', 'frequency-penalty', 'logit-bias'], 'dropped', 'The page lists this field as ignored.'),
  ...lacks(
    ['reasoning-effort', 'reasoning-budget'],
    'dropped',
    'The page lists no effort: the M2 models always think, and M3 decides how much.',
  ),
  ...lacks(['candidate-count'], 'refused', 'The page: `n` must be 1.'),
  ...quirksOfFamilies(families, 'openai-chat'),
];

/** Source: the page "Compatible Anthropic API". */
export const messagesQuirks: readonly Quirk[] = [
  ...SYSTEM_BESIDE_MESSAGES,
  ...lacks(['top-k', 'service-tier'], 'dropped', 'The page lists this field as ignored.'),
  ...lacks(['stop'], 'refused', 'The page lists `stop_sequences` as ignored.'),
  ...lacks(
    ['document-inline', 'document-url', 'document-text', 'hosted-tools'],
    'refused',
    'The page lists only text, thinking, tools and, for M3, images and videos.',
  ),
  ...quirksOfFamilies(families, 'anthropic-messages'),
];
