import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/** A host for models of many vendors. A model that it does not maintain itself is named with its version: `owner/name:version`. */
export const replicate: ProviderManifest = {
  name: 'replicate',
  label: 'Replicate',
  baseUrl: 'https://api.replicate.com/v1',
  keyVariables: ['REPLICATE_API_TOKEN', 'REPLICATE_API_KEY'],
  keyRequired: true,
  keyPattern: /^r8_[A-Za-z0-9]{20,}$/,
  formats: [],
  // The wires append the path, which differs for models named with a version.
  wires: [
    { wire: 'replicate-images', path: '' },
    { wire: 'replicate-videos', path: '' },
    { wire: 'replicate-music', path: '' },
    { wire: 'replicate-3d', path: '' },
  ],
  models: catalogOf('replicate', yaml),
  keyCheck: { path: '/account' },
};
