import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import { DEVELOPER_IS_SYSTEM, FUNCTIONS_FOR_FREEFORM, lacks } from '../shared/quirks.ts';
import { families } from './families.ts';

export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  {
    kind: 'reasoning-beside-completion',
    why: 'Recorded responses of Grok 3 mini and Grok 4 count reasoning tokens in addition to `completion_tokens`.',
  },
  ...lacks(
    ['presence-penalty', 'frequency-penalty'],
    'dropped',
    'All current models return a 400 for penalties, including 0: "does not support parameter presencePenalty".',
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'output-modalities'],
    'refused',
    'The xAI reference: chat completions accept text, images and function tools, and return text.',
  ),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(['verbosity'], 'dropped', 'The xAI reference does not list `verbosity`.'),
  {
    kind: 'thinking-switch',
    style: 'effort',
    why: 'The xAI reference lists `reasoning_effort`, and no fields of other APIs.',
  },
  ...quirksOfFamilies(families, 'openai-chat'),
];

export const responsesQuirks: readonly Quirk[] = [
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['verbosity', 'service-tier'],
    'dropped',
    'The xAI reference: this field is accepted for compatibility and not supported.',
  ),
  ...quirksOfFamilies(families, 'openai-responses'),
];
