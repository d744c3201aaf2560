import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import {
  FUNCTIONS_FOR_FREEFORM,
  has,
  IMAGES_AS_BYTES,
  lacks,
  NAMED_MAX_COMPLETION_TOKENS,
  OPEN_MODEL_HOST,
  SYSTEM_BESIDE_MESSAGES,
} from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: the guides of platform.kimi.ai. */
export const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  NAMED_MAX_COMPLETION_TOKENS,
  ...has(['cache-key'], 'The chat completions reference lists `prompt_cache_key`.'),
  ...lacks(['logprobs', 'logit-bias'], 'dropped', 'The chat completions reference does not list this parameter.'),
  ...IMAGES_AS_BYTES,
  ...quirksOfFamilies(families, 'openai-chat'),
];

export const messagesQuirks: readonly Quirk[] = [
  ...SYSTEM_BESIDE_MESSAGES,
  ...quirksOfFamilies(families, 'anthropic-messages'),
  ...IMAGES_AS_BYTES,
];

export const responsesQuirks: readonly Quirk[] = [
  ...FUNCTIONS_FOR_FREEFORM,
  ...quirksOfFamilies(families, 'openai-responses'),
  ...IMAGES_AS_BYTES,
];
