import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import { listenGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };

/** The published document puts the key after the word `Token`. */
export const deepgram: ProviderManifest = {
  name: 'deepgram',
  label: 'Deepgram',
  baseUrl: 'https://api.deepgram.com/v1',
  keyVariables: ['DEEPGRAM_API_KEY'],
  keyRequired: true,
  authorize: ({ apiKey }) => keyHeader('authorization', apiKey === null ? null : `Token ${apiKey}`),
  formats: [],
  wires: [
    { wire: 'deepgram-speech', path: '/speak' },
    { wire: 'deepgram-listen', path: '/listen', governs: listenGoverns },
  ],
  models: catalogOf('deepgram', yaml),
  keyCheck: { path: '/projects' },
};
