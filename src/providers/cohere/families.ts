import type { FamilyQuirk, ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const NOT_REASONING: readonly FamilyQuirk[] = lacks(
  ['reasoning-effort', 'reasoning-budget', 'reasoning-summary'],
  'dropped',
  'This Cohere model does not reason.',
);

const NOT_SEEING: readonly FamilyQuirk[] = lacks(
  ['image-inline', 'image-url'],
  'refused',
  'This Cohere model does not accept images.',
);

const NOT_CHOOSING: readonly FamilyQuirk[] = lacks(
  ['tool-choice', 'tool-choice-required', 'tool-choice-named', 'tool-choice-allowed'],
  'refused',
  'Cohere supports `tool_choice` from Command R7B on; earlier models reject it.',
);

/** Sources: the models' pages of docs.cohere.com ("Capabilities"), and the notes on the parameters in the API reference. */
export const families: readonly ModelFamily[] = [
  { name: 'Command A Plus', models: /^command-a-plus/, quirks: {} },
  { name: 'Command A Reasoning', models: /^command-a-reasoning/, quirks: { 'cohere-chat': NOT_SEEING } },
  {
    name: 'Command A Vision and Aya Vision',
    models: /^(?:command-a|c4ai-aya)-vision/,
    quirks: { 'cohere-chat': NOT_REASONING },
  },
  {
    name: 'Command A, Command R7B and Aya',
    models: /^(?:command-a(?!-(?:plus|reasoning|vision))|command-r7b|c4ai-(?!aya-vision))/,
    quirks: { 'cohere-chat': [...NOT_REASONING, ...NOT_SEEING] },
  },
  {
    name: 'Command R and older models',
    models: /^command(?:-r(?:-plus)?(?:-0[348]-2024)?|-light|-nightly)?$/,
    quirks: { 'cohere-chat': [...NOT_REASONING, ...NOT_SEEING, ...NOT_CHOOSING] },
  },
];
