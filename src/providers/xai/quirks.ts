import type { Quirk } from '../../formats/quirk.ts';
import { DEVELOPER_IS_SYSTEM, FUNCTIONS_FOR_FREEFORM, lacks } from '../shared/quirks.ts';

/** All of the current ones but those that say otherwise in their name; `grok-3-mini` thinks, `grok-3` and older do not. */
const REASONING = /^grok-(?:3-mini|code|(?:[4-9]|\d\d)(?!.*non-reasoning))/;
/** Grok 4 and 4.20 think as they please. */
const WITHOUT_EFFORT = /^grok-(?:4(?:-\d{4}|-latest|-fast.*)?$|4\.20|4-1-fast|code-fast)/;

const efforts: readonly Quirk[] = [
  ...lacks(
    ['reasoning-effort', 'reasoning-budget'],
    'dropped',
    'The page "Reasoning" of docs.x.ai: this model answers `reasoning_effort` with an error.',
    WITHOUT_EFFORT,
  ),
  {
    kind: 'efforts',
    values: ['low', 'high'],
    models: /^grok-3-mini/,
    why: 'The page "Reasoning" of docs.x.ai: Grok 3 mini takes `low` and `high`.',
  },
  {
    kind: 'efforts',
    values: ['low', 'medium', 'high'],
    models: /^grok-4\.5/,
    why: 'The page "Reasoning" of docs.x.ai: Grok 4.5 takes these three, and its thinking cannot be switched off.',
  },
];

export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  {
    kind: 'reasoning-beside-completion',
    why: 'Recorded answers of Grok 3 mini and Grok 4 count reasoning tokens beside `completion_tokens`.',
  },
  ...lacks(
    ['presence-penalty', 'frequency-penalty'],
    'dropped',
    'The page "Reasoning" of docs.x.ai: models that think answer penalties with an error.',
    REASONING,
  ),
  ...lacks(
    ['stop'],
    'refused',
    'The page "Reasoning" of docs.x.ai: models that think answer `stop` with an error.',
    REASONING,
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'output-modalities'],
    'refused',
    'The reference of xAI: chat completions take text and images, function tools, and answer in text.',
  ),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(['verbosity'], 'dropped', 'The reference of xAI has no `verbosity`.'),
  ...efforts,
];

export const responsesQuirks: readonly Quirk[] = [
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['verbosity', 'service-tier'],
    'dropped',
    'The reference of xAI: it is accepted for compatibility and not supported.',
  ),
  ...efforts,
];
