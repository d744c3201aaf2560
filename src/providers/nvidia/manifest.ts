import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPEN_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** The hosted catalog offers chat completions; an operator's own NIM container (`base_url`) has the other two formats as well. */
export const nvidia: ProviderManifest = {
  name: 'nvidia',
  label: 'NVIDIA NIM',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  keyVariables: ['NVIDIA_API_KEY', 'NVIDIA_NIM_API_KEY'],
  keyRequired: true,
  keyPattern: /^nvapi-[\w-]{20,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks },
    { ...OPENAI_RESPONSES, optIn: true },
    { ...ANTHROPIC_MESSAGES, countTokens: '/messages/count_tokens', optIn: true },
  ],
  wires: [OPENAI_EMBEDDINGS],
  models: catalogOf('nvidia', yaml),
  modelList: OPEN_MODELS,
};
