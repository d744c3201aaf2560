import type { ProviderManifest } from '../manifest.ts';
import { discoveryOfModels } from '../shared/discovery.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';

export const lmstudio: ProviderManifest = {
  name: 'lmstudio',
  label: 'LM Studio',
  baseUrl: 'http://127.0.0.1:1234/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [OPENAI_CHAT],
  discovery: discoveryOfModels({ atStart: false }),
};
