import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const huggingface: ProviderManifest = {
  name: 'huggingface',
  label: 'Hugging Face Inference Providers',
  baseUrl: 'https://router.huggingface.co/v1',
  keyVariables: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
