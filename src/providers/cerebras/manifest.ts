import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { families } from './families.ts';
import { chatGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

export const cerebras: ProviderManifest = {
  name: 'cerebras',
  label: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  keyVariables: ['CEREBRAS_API_KEY'],
  keyRequired: true,
  keyPattern: /^csk-[a-z0-9]{20,}$/,
  formats: [{ ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns }],
  families,
  models: catalogOf('cerebras', yaml),
  modelList: OPENAI_MODELS,
};
