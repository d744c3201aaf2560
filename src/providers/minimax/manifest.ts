import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { families } from './families.ts';
import { minimaxGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, messagesQuirks } from './quirks.ts';

/**
 * Anthropic Messages come first: the vendor recommends them, and only there is the reasoning separate from the answer by default.
 */
export const minimax: ProviderManifest = {
  name: 'minimax',
  label: 'MiniMax',
  baseUrl: 'https://api.minimax.io/v1',
  keyVariables: ['MINIMAX_API_KEY'],
  keyRequired: true,
  formats: [
    {
      ...ANTHROPIC_MESSAGES,
      baseUrl: 'https://api.minimax.io/anthropic/v1',
      quirks: messagesQuirks,
      governs: minimaxGoverns,
    },
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: minimaxGoverns },
    { ...OPENAI_RESPONSES, governs: minimaxGoverns },
  ],
  // The wire appends the endpoint of the model's generation. The API has no group parameter, because a key belongs to
  // one group.
  wires: [{ wire: 'minimax-videos', path: '' }],
  families,
  models: catalogOf('minimax', yaml),
  modelList: OPENAI_MODELS,
};
