import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { VERCEL_GOVERNS } from '../shared/governed/gateways.ts';
import { OPEN_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { FREEFORM_OF_OPENAI } from '../shared/quirks.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** Chat completions come first: their `reasoning_details` keep the state of every vendor's models. */
export const vercel: ProviderManifest = {
  name: 'vercel',
  label: 'Vercel AI Gateway',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  keyVariables: ['AI_GATEWAY_API_KEY'],
  keyRequired: true,
  keyPattern: /^vck_[A-Za-z0-9]{20,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: VERCEL_GOVERNS },
    { ...ANTHROPIC_MESSAGES, governs: VERCEL_GOVERNS },
    { ...OPENAI_RESPONSES, quirks: FREEFORM_OF_OPENAI, governs: VERCEL_GOVERNS },
  ],
  wires: [{ ...OPENAI_EMBEDDINGS, governs: VERCEL_GOVERNS }],
  models: catalogOf('vercel', yaml),
  modelList: OPEN_MODELS,
};
