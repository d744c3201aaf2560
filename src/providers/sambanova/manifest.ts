import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { bearer, keyHeader } from '../shared/headers.ts';
import { OPEN_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, messagesQuirks } from './quirks.ts';

/**
 * Messages are documented for only one model so far. Responses are documented without naming any, so only channels that name the
 * format use it.
 */
export const sambanova: ProviderManifest = {
  name: 'sambanova',
  label: 'SambaNova Cloud',
  baseUrl: 'https://api.sambanova.ai/v1',
  keyVariables: ['SAMBANOVA_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks },
    {
      ...ANTHROPIC_MESSAGES,
      models: /^gpt-oss-120b$/,
      quirks: messagesQuirks,
      countTokens: '/messages/count_tokens',
    },
    { ...OPENAI_RESPONSES, optIn: true },
  ],
  wires: [OPENAI_EMBEDDINGS],
  authorize: ({ apiKey }, format) =>
    format === ANTHROPIC_MESSAGES.format ? keyHeader('x-api-key', apiKey) : bearer(apiKey),
  models: catalogOf('sambanova', yaml),
  modelList: OPEN_MODELS,
};
