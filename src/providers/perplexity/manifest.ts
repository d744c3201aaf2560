import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

/** The vendor documents this address without a version segment (docs.perplexity.ai). */
export const perplexity: ProviderManifest = {
  name: 'perplexity',
  label: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyVariables: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
