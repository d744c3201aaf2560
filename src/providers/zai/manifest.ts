import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_IMAGES } from '../shared/openai-images.ts';
import { families } from './families.ts';
import { chatGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** OpenAI Responses are documented only for the coding plan, at a separate address (`https://api.z.ai/api/v1`). */
export const zai: ProviderManifest = {
  name: 'zai',
  label: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  keyVariables: ['ZAI_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns },
    { ...ANTHROPIC_MESSAGES, baseUrl: 'https://api.z.ai/api/anthropic/v1', governs: chatGoverns },
  ],
  // Source: docs.z.ai, "Generate Image".
  wires: [{ ...OPENAI_IMAGES, members: { n: null, user: 'user_id' } }],
  families,
  models: catalogOf('zai', yaml),
  modelList: OPENAI_MODELS,
};
