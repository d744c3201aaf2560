import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { idsIn } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { families } from './families.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/**
 * The vendor's OpenAI-compatible endpoint is used only by channels that name it: it has no citations, plans or thinking
 * (docs.cohere.com, "Compatibility API"), so translation loses less.
 */
export const cohere: ProviderManifest = {
  name: 'cohere',
  label: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  keyRequired: true,
  formats: [
    { format: 'cohere-chat', path: '/v2/chat', quirks: chatQuirks },
    { ...OPENAI_CHAT, path: '/compatibility/v1/chat/completions', optIn: true },
  ],
  wires: [
    { wire: 'cohere-embed', path: '/v2/embed' },
    { wire: 'cohere-rerank', path: '/v2/rerank' },
    { wire: 'cohere-transcriptions', path: '/v2/audio/transcriptions' },
  ],
  families,
  models: catalogOf('cohere', yaml),
  modelList: { path: '/v1/models?page_size=1000', modelsIn: idsIn({ member: 'models', id: 'name' }) },
};
