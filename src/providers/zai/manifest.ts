import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const zai: ProviderManifest = {
  name: 'zai',
  label: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  keyVariables: ['ZAI_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
