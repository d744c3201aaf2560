import type { ProviderManifest } from '../manifest.ts';
import { keyHeader } from '../shared/headers.ts';
import { models } from './models.ts';

export const elevenlabs: ProviderManifest = {
  name: 'elevenlabs',
  label: 'ElevenLabs',
  baseUrl: 'https://api.elevenlabs.io/v1',
  keyVariables: ['ELEVENLABS_API_KEY'],
  keyRequired: true,
  formats: [],
  authorize: ({ apiKey }) => keyHeader('xi-api-key', apiKey),
  wires: [{ wire: 'elevenlabs-speech', path: '/text-to-speech' }],
  models,
};
