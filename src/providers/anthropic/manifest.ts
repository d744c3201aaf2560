import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

/** The vendor's OpenAI-compatible endpoint (platform.claude.com, "OpenAI SDK compatibility"): it takes the key as a bearer token. */
export const anthropic: ProviderManifest = {
  name: 'anthropic',
  label: 'Anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  keyVariables: ['ANTHROPIC_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
