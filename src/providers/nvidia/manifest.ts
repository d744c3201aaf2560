import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const nvidia: ProviderManifest = {
  name: 'nvidia',
  label: 'NVIDIA NIM',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  keyVariables: ['NVIDIA_API_KEY', 'NVIDIA_NIM_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
