import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { families } from './families.ts';
import { chatGoverns, responsesGoverns, transcriptionGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks, responsesQuirks } from './quirks.ts';

/**
 * Responses come first: only they return encrypted reasoning, and the vendor calls chat completions legacy. Its `/v1/messages` is
 * left out: "The Anthropic SDK compatibility is fully deprecated" (docs.x.ai, "Legacy & Deprecated").
 */
export const xai: ProviderManifest = {
  name: 'xai',
  label: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  keyRequired: true,
  keyPattern: /^xai-[A-Za-z0-9]{20,}$/,
  formats: [
    { ...OPENAI_RESPONSES, stores: true, quirks: responsesQuirks, governs: responsesGoverns },
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns },
  ],
  wires: [
    // The wire appends `/generations` or `/edits`.
    { wire: 'xai-images', path: '/images' },
    // The wire appends `/generations` or `/edits`.
    { wire: 'xai-videos', path: '/videos' },
    { wire: 'xai-speech', path: '/tts' },
    { wire: 'xai-transcriptions', path: '/stt', governs: transcriptionGoverns },
  ],
  families,
  models: catalogOf('xai', yaml),
  modelList: OPENAI_MODELS,
};
