import type { ProviderManifest } from '../manifest.ts';
import { keyHeader } from '../shared/headers.ts';
import { models } from './models.ts';

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
  models,
};
