import type { ModelFamily } from '../shared/model-families.ts';
import { audioPart } from '../shared/quirks.ts';

export const families: readonly ModelFamily[] = [
  {
    name: 'Omni and audio models',
    models: /omni|audio/,
    quirks: { 'openai-chat': audioPart('The Omni models take `input_audio` like OpenAI.') },
  },
  { name: 'Other models', models: /^(?!.*(?:omni|audio))/, quirks: {} },
];
