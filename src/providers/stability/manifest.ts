import type { ProviderManifest } from '../manifest.ts';
import { models } from './models.ts';

export const stability: ProviderManifest = {
  name: 'stability',
  label: 'Stability AI',
  baseUrl: 'https://api.stability.ai',
  keyVariables: ['STABILITY_API_KEY'],
  keyRequired: true,
  formats: [],
  wires: [{ wire: 'stability-images', path: '/v2beta/stable-image' }],
  models,
  keyCheck: { path: '/v1/user/balance' },
};
