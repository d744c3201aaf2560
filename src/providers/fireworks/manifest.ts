import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const fireworks: ProviderManifest = {
  name: 'fireworks',
  label: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
