import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

/** The vendor's OpenAI-compatible endpoint (ai.google.dev, "OpenAI compatibility"): it takes the key as a bearer token. */
export const google: ProviderManifest = {
  name: 'google',
  label: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
