import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { families } from './families.ts';
import { moonshotGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, messagesQuirks, responsesQuirks } from './quirks.ts';

export const moonshot: ProviderManifest = {
  name: 'moonshot',
  label: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.ai/v1',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: moonshotGoverns },
    {
      ...ANTHROPIC_MESSAGES,
      baseUrl: 'https://api.moonshot.ai/anthropic/v1',
      quirks: messagesQuirks,
      governs: moonshotGoverns,
    },
    { ...OPENAI_RESPONSES, quirks: responsesQuirks, governs: moonshotGoverns },
  ],
  families,
  models: catalogOf('moonshot', yaml),
  modelList: OPENAI_MODELS,
};
