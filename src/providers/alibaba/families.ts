import type { ModelFamily } from '../shared/model-families.ts';
import { audioPart } from '../shared/quirks.ts';

export const families: readonly ModelFamily[] = [
  {
    name: 'Omni and audio models',
    models: /omni|audio/,
    quirks: { 'openai-chat': audioPart('The Omni models accept `input_audio`, as OpenAI does.') },
  },
  { name: 'Other models', models: /^(?!.*(?:omni|audio))/, quirks: {} },
];
