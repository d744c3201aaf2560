import { z } from 'zod';
import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_BATCHES } from '../shared/batches.ts';
import { OPENAI_CHAT_GOVERNS, OPENAI_RESPONSES_GOVERNS } from '../shared/governed/openai.ts';
import { bearer, headerText, settingsHeaders } from '../shared/headers.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { EMBEDDINGS_OF_OPENAI, WITHOUT_INPUT_TYPE } from '../shared/openai-embeddings.ts';
import { KNOWN_TO_OPENAI, OPENAI_IMAGE_EDITS, OPENAI_IMAGES } from '../shared/openai-images.ts';
import { SERVED_IN_CHAT, SERVED_IN_COMPLETIONS, SERVED_IN_RESPONSES } from '../shared/openai-models.ts';
import { OPENAI_MODERATIONS } from '../shared/openai-moderations.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH, OPENAI_SPEECH_MODELS } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { OPENAI_RELAYS } from '../shared/relayed-apis.ts';
import { OPENAI_CATALOG } from '../shared/vendor-models.ts';
import { chatQuirks, responsesQuirks } from './quirks.ts';

/** Responses come first: chat completions never return reasoning, so its state would be lost between two turns of an agent. */
export const openai: ProviderManifest = {
  name: 'openai',
  label: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
  keyRequired: true,
  requestIdHeader: 'x-client-request-id',
  keyPattern: /^sk-(?:proj|svcacct|admin)-[\w-]{20,}$|^sk-[\w-]*T3BlbkFJ[\w-]*$/,
  formats: [
    {
      ...OPENAI_RESPONSES,
      stores: true,
      models: SERVED_IN_RESPONSES,
      quirks: responsesQuirks,
      governs: OPENAI_RESPONSES_GOVERNS,
      countTokens: '/responses/input_tokens',
      compact: '/responses/compact',
    },
    { ...OPENAI_CHAT, models: SERVED_IN_CHAT, quirks: chatQuirks, governs: OPENAI_CHAT_GOVERNS },
    { ...OPENAI_COMPLETIONS, models: SERVED_IN_COMPLETIONS },
  ],
  settings: z.strictObject({
    organization: headerText.optional().meta({
      title: 'Organization',
      description: 'The ID of the organization to bill (`org-…`), for keys that belong to several.',
    }),
    project: headerText.optional().meta({
      title: 'Project',
      description: 'The ID of the project whose limits apply (`proj_…`).',
    }),
  }),
  authorize: ({ apiKey, settings }) => ({
    ...bearer(apiKey),
    ...settingsHeaders(settings, { organization: 'openai-organization', project: 'openai-project' }),
  }),
  wires: [
    OPENAI_MODERATIONS,
    { ...EMBEDDINGS_OF_OPENAI, members: WITHOUT_INPUT_TYPE },
    { ...OPENAI_SPEECH, speech: OPENAI_SPEECH_MODELS },
    { ...OPENAI_IMAGES, members: KNOWN_TO_OPENAI },
    { ...OPENAI_IMAGE_EDITS, members: KNOWN_TO_OPENAI },
    OPENAI_TRANSCRIPTIONS,
    OPENAI_TRANSLATIONS,
    { wire: 'openai-videos', path: '/videos' },
  ],
  relays: OPENAI_RELAYS,
  batches: OPENAI_BATCHES,
  models: OPENAI_CATALOG,
  modelList: OPENAI_MODELS,
};
