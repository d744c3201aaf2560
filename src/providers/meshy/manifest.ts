import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

export const meshy: ProviderManifest = {
  name: 'meshy',
  label: 'Meshy',
  baseUrl: 'https://api.meshy.ai',
  keyVariables: ['MESHY_API_KEY'],
  keyRequired: true,
  keyPattern: /^msy_[\w-]{20,}$/,
  formats: [],
  // The wire appends the endpoint for the model's starting point.
  wires: [{ wire: 'meshy-3d', path: '' }],
  models: catalogOf('meshy', yaml),
  keyCheck: { path: '/openapi/v1/balance' },
};
