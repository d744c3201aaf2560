import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Voyage has only search models, and none that generate text. */
export const voyage: ProviderManifest = {
  name: 'voyage',
  label: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  keyVariables: ['VOYAGE_API_KEY'],
  keyRequired: true,
  keyPattern: /^(?:pa|al)-[\w-]{20,}$/,
  formats: [],
  wires: [
    { wire: 'voyage-embeddings', path: '/embeddings' },
    { wire: 'voyage-rerank', path: '/rerank' },
  ],
  models: catalogOf('voyage', yaml),
};
