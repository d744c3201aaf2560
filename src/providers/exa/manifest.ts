import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

export const exa: ProviderManifest = {
  name: 'exa',
  label: 'Exa',
  baseUrl: 'https://api.exa.ai',
  keyVariables: ['EXA_API_KEY'],
  keyRequired: true,
  formats: [],
  wires: [{ wire: 'exa-search', path: '/search' }],
  authorize: ({ apiKey }) => keyHeader('x-api-key', apiKey),
  models: catalogOf('exa', yaml),
};
