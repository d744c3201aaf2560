import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Luma's Dream Machine. */
export const luma: ProviderManifest = {
  name: 'luma',
  label: 'Luma Dream Machine',
  baseUrl: 'https://api.lumalabs.ai/dream-machine/v1',
  keyVariables: ['LUMA_API_KEY', 'LUMAAI_API_KEY'],
  keyRequired: true,
  keyPattern: /^luma-[\w-]{20,}$/,
  formats: [],
  // The wire appends the endpoint.
  wires: [{ wire: 'luma-videos', path: '' }],
  models: catalogOf('luma', yaml),
  keyCheck: { path: '/credits' },
};
