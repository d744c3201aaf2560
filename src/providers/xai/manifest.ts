import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const xai: ProviderManifest = {
  name: 'xai',
  label: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
