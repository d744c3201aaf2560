import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPEN_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** The router builds Responses from the hosts' chat completions (guide "Responses API (beta)"). */
export const huggingface: ProviderManifest = {
  name: 'huggingface',
  label: 'Hugging Face Inference Providers',
  baseUrl: 'https://router.huggingface.co/v1',
  keyVariables: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
  keyRequired: true,
  keyPattern: /^hf_[A-Za-z0-9]{20,}$/,
  formats: [{ ...OPENAI_CHAT, quirks: chatQuirks }, OPENAI_RESPONSES],
  models: catalogOf('huggingface', yaml),
  modelList: OPEN_MODELS,
};
