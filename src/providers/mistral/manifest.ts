import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_MODERATIONS } from '../shared/openai-moderations.ts';
import { chatGoverns } from './governs.ts';
import { models } from './models.ts';
import { chatQuirks } from './quirks.ts';

export const mistral: ProviderManifest = {
  name: 'mistral',
  label: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  keyRequired: true,
  formats: [{ ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns }],
  wires: [OPENAI_MODERATIONS],
  relays: ['files', 'batch-jobs'],
  models,
};
