import type { Quirk } from '../../formats/quirk.ts';
import { lacks } from '../shared/quirks.ts';

const NOT_REASONING = /^(?!command-a-(?:reasoning|plus))/;
const NOT_SEEING = /^(?!command-a-(?:vision|plus)|c4ai-aya-vision)/;

/** The models' pages of docs.cohere.com ("Capabilities"), and the notes on the parameters in the API reference. */
export const chatQuirks: readonly Quirk[] = [
  ...lacks(
    ['reasoning-effort', 'reasoning-budget', 'reasoning-summary'],
    'dropped',
    'Among Cohere’s models this one does not think.',
    NOT_REASONING,
  ),
  ...lacks(['image-inline', 'image-url'], 'refused', 'Among Cohere’s models this one takes no images.', NOT_SEEING),
  ...lacks(
    ['tool-choice', 'tool-choice-required', 'tool-choice-named', 'tool-choice-allowed'],
    'refused',
    'Cohere takes `tool_choice` from Command R7B on; earlier models refuse it.',
    /^command(?:-r(?:-plus)?(?:-0[348]-2024)?|-light|-nightly)?$/,
  ),
];
