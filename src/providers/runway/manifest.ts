import type { ProviderManifest } from '../manifest.ts';
import { models } from './models.ts';

export const runway: ProviderManifest = {
  name: 'runway',
  label: 'Runway',
  baseUrl: 'https://api.dev.runwayml.com/v1',
  keyVariables: ['RUNWAYML_API_SECRET'],
  keyRequired: true,
  keyPattern: /^key_[0-9a-f]{64,}$/,
  formats: [],
  // The wire appends the endpoint and adds the API's version.
  wires: [{ wire: 'runway-videos', path: '' }],
  models,
  keyCheck: { path: '/organization', headers: { 'x-runway-version': '2024-11-06' } },
};
