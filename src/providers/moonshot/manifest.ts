import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const moonshot: ProviderManifest = {
  name: 'moonshot',
  label: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.ai/v1',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
