import type { ProviderManifest } from '../manifest.ts';
import { models } from './models.ts';

export const deepgram: ProviderManifest = {
  name: 'deepgram',
  label: 'Deepgram',
  baseUrl: 'https://api.deepgram.com/v1',
  keyVariables: ['DEEPGRAM_API_KEY'],
  keyRequired: true,
  formats: [],
  authorize: ({ apiKey }): Record<string, string> => (apiKey === null ? {} : { authorization: `Token ${apiKey}` }),
  wires: [{ wire: 'deepgram-speech', path: '/speak' }],
  models,
};
