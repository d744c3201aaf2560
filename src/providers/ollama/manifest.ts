import type { ProviderManifest } from '../manifest.ts';
import { discoveryOfModels } from '../shared/discovery.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';

export const ollama: ProviderManifest = {
  name: 'ollama',
  label: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [OPENAI_CHAT],
  discovery: discoveryOfModels({ atStart: true }),
};
