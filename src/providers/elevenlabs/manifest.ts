import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import { transcriptionGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };

export const elevenlabs: ProviderManifest = {
  name: 'elevenlabs',
  label: 'ElevenLabs',
  baseUrl: 'https://api.elevenlabs.io/v1',
  keyVariables: ['ELEVENLABS_API_KEY'],
  keyRequired: true,
  keyPattern: /^sk_[0-9a-f]{48}$/,
  authorize: ({ apiKey }) => keyHeader('xi-api-key', apiKey),
  formats: [],
  wires: [
    { wire: 'elevenlabs-speech', path: '/text-to-speech' },
    { wire: 'elevenlabs-transcriptions', path: '/speech-to-text', governs: transcriptionGoverns },
  ],
  models: catalogOf('elevenlabs', yaml),
  keyCheck: { path: '/models' },
};
