import type { Quirk } from '../../../formats/text/quirk.ts';
import {
  FUNCTIONS_FOR_FREEFORM,
  IMAGES_AS_BYTES,
  lacks,
  OPEN_MODEL_HOST,
  SYSTEM_FIRST,
  takesReasoningBack,
} from '../quirks.ts';
import type { ServerFamily } from './server-family.ts';
import { objectAt, ownerOfModels } from './signs.ts';

/** Source: the page "OpenAI compatibility" of docs.ollama.com. */
const chatQuirks: readonly Quirk[] = [
  ...OPEN_MODEL_HOST,
  ...IMAGES_AS_BYTES,
  ...lacks(['logit-bias', 'user'], 'dropped', 'The page lists this field as not supported.'),
  ...lacks(['candidate-count'], 'refused', 'The page lists `n` as not supported.'),
  ...lacks(
    ['tool-choice-required', 'tool-choice-named'],
    'refused',
    'The page lists `tool_choice` as not supported: the model decides.',
  ),
  ...takesReasoningBack('reasoning', 'Messages have `reasoning` next to `content`, in responses and requests.'),
];

/** Source: the page "Anthropic compatibility". */
const messagesQuirks: readonly Quirk[] = [
  ...SYSTEM_FIRST,
  ...IMAGES_AS_BYTES,
  ...lacks(
    ['document-inline', 'document-url', 'provider-file', 'hosted-tools', 'tool-choice-required', 'tool-choice-named'],
    'refused',
    'The page lists this field as not supported.',
  ),
  ...lacks(
    ['cache-marks', 'user', 'reasoning-budget'],
    'dropped',
    'The page lists this field as ignored or not supported.',
  ),
];

const responsesQuirks: readonly Quirk[] = [...FUNCTIONS_FOR_FREEFORM, ...SYSTEM_FIRST, ...IMAGES_AS_BYTES];

export const OLLAMA: ServerFamily = {
  name: 'ollama',
  label: 'Ollama',
  quirks: { 'openai-chat': chatQuirks, 'openai-responses': responsesQuirks, 'anthropic-messages': messagesQuirks },
  wires: {},
  // Its models belong to its library; only Ollama has its version below `/api`.
  signs: [ownerOfModels('library'), objectAt('/api/version', 'version')],
};
