import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';

export const openaiCompatible: ProviderManifest = {
  name: 'openai-compatible',
  label: 'Any OpenAI-compatible API',
  baseUrl: null,
  keyVariables: [],
  keyRequired: false,
  formats: [OPENAI_CHAT],
};
