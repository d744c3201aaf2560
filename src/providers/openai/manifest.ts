import { z } from 'zod';
import type { ProviderManifest } from '../manifest.ts';
import { bearer, headerText, settingsHeaders } from '../shared/headers.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const openai: ProviderManifest = {
  name: 'openai',
  label: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  settings: z.strictObject({ organization: headerText.optional(), project: headerText.optional() }),
  authorize: ({ apiKey, settings }) => ({
    ...bearer(apiKey),
    ...settingsHeaders(settings, { organization: 'openai-organization', project: 'openai-project' }),
  }),
  models,
};
