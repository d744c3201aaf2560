import type { ProviderManifest } from '../manifest.ts';
import { models } from './models.ts';

export const runway: ProviderManifest = {
  name: 'runway',
  label: 'Runway',
  baseUrl: 'https://api.dev.runwayml.com/v1',
  keyVariables: ['RUNWAYML_API_SECRET'],
  keyRequired: true,
  formats: [],
  // The wire names the endpoint, and the version of the API.
  wires: [{ wire: 'runway-videos', path: '' }],
  models,
};
