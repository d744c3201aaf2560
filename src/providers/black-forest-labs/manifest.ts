import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

/** The makers of FLUX. For a single region, a channel sets `base_url` (`https://api.eu.bfl.ai/v1`). */
export const blackForestLabs: ProviderManifest = {
  name: 'black-forest-labs',
  label: 'Black Forest Labs',
  baseUrl: 'https://api.bfl.ai/v1',
  keyVariables: ['BFL_API_KEY'],
  keyRequired: true,
  authorize: ({ apiKey }) => keyHeader('x-key', apiKey),
  formats: [],
  // The wire appends the model's endpoint.
  wires: [{ wire: 'bfl-images', path: '' }],
  models: catalogOf('black-forest-labs', yaml),
  keyCheck: { path: '/credits' },
};
