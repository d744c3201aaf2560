import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

/** The vendor documents this address without a version segment (api-docs.deepseek.com). */
export const deepseek: ProviderManifest = {
  name: 'deepseek',
  label: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
