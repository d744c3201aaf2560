import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Jina also has a search service with a chat interface, which is not supported here. */
export const jina: ProviderManifest = {
  name: 'jina',
  label: 'Jina AI',
  baseUrl: 'https://api.jina.ai/v1',
  keyVariables: ['JINA_API_KEY'],
  keyRequired: true,
  keyPattern: /^jina_[\w-]{20,}$/,
  formats: [],
  wires: [{ wire: 'jina-embeddings', path: '/embeddings' }, JINA_RERANK],
  models: catalogOf('jina', yaml),
};
