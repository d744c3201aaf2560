import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

export const brave: ProviderManifest = {
  name: 'brave',
  label: 'Brave Search',
  baseUrl: 'https://api.search.brave.com/res/v1',
  keyVariables: ['BRAVE_API_KEY', 'BRAVE_SEARCH_API_KEY'],
  keyRequired: true,
  formats: [],
  wires: [{ wire: 'brave-search', path: '/web/search' }],
  authorize: ({ apiKey }) => keyHeader('x-subscription-token', apiKey),
  models: catalogOf('brave', yaml),
};
