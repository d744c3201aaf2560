import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

export const stability: ProviderManifest = {
  name: 'stability',
  label: 'Stability AI',
  baseUrl: 'https://api.stability.ai',
  keyVariables: ['STABILITY_API_KEY'],
  keyRequired: true,
  formats: [],
  wires: [{ wire: 'stability-images', path: '/v2beta/stable-image' }],
  models: catalogOf('stability', yaml),
  keyCheck: { path: '/v1/user/balance' },
};
