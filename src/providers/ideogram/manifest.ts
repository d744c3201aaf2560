import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

export const ideogram: ProviderManifest = {
  name: 'ideogram',
  label: 'Ideogram',
  baseUrl: 'https://api.ideogram.ai',
  keyVariables: ['IDEOGRAM_API_KEY'],
  keyRequired: true,
  authorize: ({ apiKey }) => keyHeader('api-key', apiKey),
  formats: [],
  // The wire appends the model's endpoint.
  wires: [{ wire: 'ideogram-images', path: '' }],
  models: catalogOf('ideogram', yaml),
};
