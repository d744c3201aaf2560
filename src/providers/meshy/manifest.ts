import type { ProviderManifest } from '../manifest.ts';
import { models } from './models.ts';

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
  models,
  keyCheck: { path: '/openapi/v1/balance' },
};
