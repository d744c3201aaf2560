import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

export const recraft: ProviderManifest = {
  name: 'recraft',
  label: 'Recraft',
  baseUrl: 'https://external.api.recraft.ai/v1',
  keyVariables: ['RECRAFT_API_TOKEN', 'RECRAFT_API_KEY'],
  keyRequired: true,
  formats: [],
  // The wire appends the endpoint.
  wires: [{ wire: 'recraft-images', path: '' }],
  models: catalogOf('recraft', yaml),
  keyCheck: { path: '/users/me' },
};
