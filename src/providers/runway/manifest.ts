import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

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
  models: catalogOf('runway', yaml),
  keyCheck: { path: '/organization', headers: { 'x-runway-version': '2024-11-06' } },
};
