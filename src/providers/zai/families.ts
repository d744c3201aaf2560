import type { FamilyQuirk, ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const SWITCH: FamilyQuirk = {
  kind: 'thinking-switch',
  style: 'thinking-type',
  why: 'The guide "Thinking Mode": `thinking.type` turns thinking on or off; only for GLM-5.3 it cannot be turned off.',
};

const EFFORTS: FamilyQuirk = {
  kind: 'efforts',
  values: ['low', 'high', 'max'],
  why: 'The pages of GLM-5.2 and GLM-5.3: `reasoning_effort` has these three values.',
};

const WITHOUT_EFFORT: readonly FamilyQuirk[] = lacks(
  ['reasoning-effort'],
  'dropped',
  'The guide "Thinking Mode": before GLM-5.2, thinking is only on or off.',
);

export const families: readonly ModelFamily[] = [
  { name: 'GLM-5.3 and later', models: /^glm-(?:5\.[3-9]|[6-9])/, quirks: { 'openai-chat': [EFFORTS] } },
  { name: 'GLM-5.2', models: /^glm-5\.2/, quirks: { 'openai-chat': [SWITCH, EFFORTS] } },
  {
    name: 'GLM-4 to GLM-5.1',
    models: /^glm-(?:4|5(?:\.[01])?(?![.\d]))/,
    quirks: { 'openai-chat': [SWITCH, ...WITHOUT_EFFORT] },
  },
];
