import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const vercel: ProviderManifest = {
  name: 'vercel',
  label: 'Vercel AI Gateway',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  keyVariables: ['AI_GATEWAY_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
