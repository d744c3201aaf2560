import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { bearer, keyHeader } from '../shared/headers.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { families } from './families.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, messagesQuirks, responsesQuirks } from './quirks.ts';

/**
 * The vendor documents this address without a version segment (api-docs.deepseek.com). Chat completions come first: reasoning is
 * plain text in all three formats, and they accept the most parameters.
 */
export const deepseek: ProviderManifest = {
  name: 'deepseek',
  label: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks },
    { ...OPENAI_RESPONSES, quirks: responsesQuirks },
    { ...ANTHROPIC_MESSAGES, baseUrl: 'https://api.deepseek.com/anthropic/v1', quirks: messagesQuirks },
  ],
  authorize: ({ apiKey }, format) =>
    format === ANTHROPIC_MESSAGES.format ? keyHeader('x-api-key', apiKey) : bearer(apiKey),
  families,
  models: catalogOf('deepseek', yaml),
  modelList: OPENAI_MODELS,
};
