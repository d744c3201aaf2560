import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { chatGoverns, responsesGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, responsesQuirks } from './quirks.ts';

/**
 * The vendor documents this address without a version segment (docs.perplexity.ai). Its models are reached over the Agent API,
 * which accepts OpenAI Responses at `/v1/responses` and prefixes every model with its vendor (`perplexity/sonar`). Support for
 * Sonar's own chat completions (`sonar`, `sonar-pro`) ended on 27 September 2026; channels that still name them are sent there.
 */
export const perplexity: ProviderManifest = {
  name: 'perplexity',
  label: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyVariables: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
  keyRequired: true,
  keyPattern: /^pplx-[A-Za-z0-9]{20,}$/,
  formats: [
    { ...OPENAI_RESPONSES, path: '/v1/responses', models: /\//, quirks: responsesQuirks, governs: responsesGoverns },
    { ...OPENAI_CHAT, models: /^[^/]+$/, quirks: chatQuirks, governs: chatGoverns },
  ],
  // Models for chunks with context take lists of lists, which the request format here cannot express.
  wires: [{ wire: 'perplexity-embeddings', path: '/v1/embeddings', models: /^pplx-embed-(?!context)/ }],
  models: catalogOf('perplexity', yaml),
};
