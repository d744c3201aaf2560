import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

export const tavily: ProviderManifest = {
  name: 'tavily',
  label: 'Tavily',
  baseUrl: 'https://api.tavily.com',
  keyVariables: ['TAVILY_API_KEY'],
  keyRequired: true,
  keyPattern: /^tvly-[\w-]{20,}$/,
  formats: [],
  wires: [{ wire: 'tavily-search', path: '/search' }],
  models: catalogOf('tavily', yaml),
};
