import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const groq: ProviderManifest = {
  name: 'groq',
  label: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
