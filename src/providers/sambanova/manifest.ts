import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const sambanova: ProviderManifest = {
  name: 'sambanova',
  label: 'SambaNova Cloud',
  baseUrl: 'https://api.sambanova.ai/v1',
  keyVariables: ['SAMBANOVA_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
