import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { ANTHROPIC_BATCHES } from '../shared/batches.ts';
import { ANTHROPIC_GOVERNS } from '../shared/governed/anthropic.ts';
import { bearer, keyHeader } from '../shared/headers.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { CLAUDE_CATALOG } from '../shared/vendor-models.ts';

/**
 * The vendor's OpenAI-compatible endpoint is used only by channels that name it: it is meant for comparing models, ignores JSON
 * schemas, seeds and `strict`, and returns no thinking (platform.claude.com, "OpenAI SDK compatibility"), so translation loses
 * less. The format itself knows the differences between Claude models, because other providers serve them too.
 */
export const anthropic: ProviderManifest = {
  name: 'anthropic',
  label: 'Anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  keyVariables: ['ANTHROPIC_API_KEY'],
  keyRequired: true,
  keyPattern: /^sk-ant-[\w-]{20,}$/,
  formats: [
    { ...ANTHROPIC_MESSAGES, countTokens: '/messages/count_tokens', stores: true, governs: ANTHROPIC_GOVERNS },
    { ...OPENAI_CHAT, optIn: true },
  ],
  authorize: ({ apiKey }, format) =>
    format === ANTHROPIC_MESSAGES.format ? keyHeader('x-api-key', apiKey) : bearer(apiKey),
  relays: ['anthropic-files', 'message-batches'],
  batches: ANTHROPIC_BATCHES,
  models: CLAUDE_CATALOG,
  modelList: { ...OPENAI_MODELS, path: '/models?limit=1000' },
};
