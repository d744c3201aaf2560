import { z } from 'zod';
import { PLAIN_LIMITS } from '../../formats/shared/rate-limits/stated-limits.ts';
import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENROUTER_GOVERNS, OPENROUTER_SPEECH_GOVERNS } from '../shared/governed/gateways.ts';
import { bearer, headerText, settingsHeaders } from '../shared/headers.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { EMBEDDINGS_IN_BASE64 } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { FREEFORM_OF_OPENAI } from '../shared/quirks.ts';
import { OPENROUTER_SPEECH } from '../shared/speech-dialects.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** Chat completions come first: their `reasoning_details` keep the state of every vendor's models. */
export const openrouter: ProviderManifest = {
  name: 'openrouter',
  label: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  keyRequired: true,
  rateLimits: PLAIN_LIMITS,
  keyPattern: /^sk-or-v1-[0-9a-f]{20,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: OPENROUTER_GOVERNS, takesSessionId: true },
    { ...ANTHROPIC_MESSAGES, governs: OPENROUTER_GOVERNS, takesSessionId: true },
    { ...OPENAI_RESPONSES, quirks: FREEFORM_OF_OPENAI, governs: OPENROUTER_GOVERNS, takesSessionId: true },
  ],
  wires: [
    { ...EMBEDDINGS_IN_BASE64, governs: OPENROUTER_GOVERNS },
    // The published document, `createRerank`, has no `return_documents`: the texts are always returned.
    { ...JINA_RERANK, governs: OPENROUTER_GOVERNS, members: { return_documents: null } },
    { wire: 'openrouter-images', path: '/images' },
    { ...OPENAI_SPEECH, governs: OPENROUTER_SPEECH_GOVERNS, speech: OPENROUTER_SPEECH },
    { wire: 'openrouter-transcriptions', path: '/audio/transcriptions', governs: OPENROUTER_GOVERNS },
  ],
  settings: z.strictObject({
    app_name: headerText.optional().meta({
      title: 'App name',
      description: 'Shown in OpenRouter’s rankings and activity.',
    }),
    app_url: z.url().optional().meta({ title: 'App URL', description: 'The app’s URL, for OpenRouter’s rankings.' }),
  }),
  authorize: ({ apiKey, settings }) => ({
    ...bearer(apiKey),
    ...settingsHeaders(settings, { app_name: 'x-title', app_url: 'http-referer' }),
  }),
  models: catalogOf('openrouter', yaml),
  modelList: { ...OPENAI_MODELS, path: '/models/user' },
};
