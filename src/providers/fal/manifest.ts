import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

/** A host for models of many vendors; every request goes through its queue. */
export const fal: ProviderManifest = {
  name: 'fal',
  label: 'fal',
  baseUrl: 'https://queue.fal.run',
  keyVariables: ['FAL_KEY', 'FAL_API_KEY'],
  keyRequired: true,
  keyPattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}$/,
  authorize: ({ apiKey }) => keyHeader('authorization', apiKey === null ? null : `Key ${apiKey}`),
  formats: [],
  // The wire appends the endpoint, which for an edit often differs from that for a generation.
  wires: [
    { wire: 'fal-images', path: '' },
    { wire: 'fal-transcriptions', path: '' },
    { wire: 'fal-speech', path: '' },
    { wire: 'fal-videos', path: '' },
    { wire: 'fal-music', path: '' },
    { wire: 'fal-3d', path: '' },
  ],
  models: catalogOf('fal', yaml),
};
