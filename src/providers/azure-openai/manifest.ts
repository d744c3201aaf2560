import { z } from 'zod';
import type { ProviderManifest, UpstreamCall } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { EMBEDDINGS_OF_OPENAI, WITHOUT_INPUT_TYPE } from '../shared/openai-embeddings.ts';
import { KNOWN_TO_OPENAI, OPENAI_IMAGE_EDITS, OPENAI_IMAGES } from '../shared/openai-images.ts';
import {
  OPENAI_CHAT_MODELS,
  OPENAI_RESPONSES_MODELS,
  SERVED_IN_CHAT,
  SERVED_IN_COMPLETIONS,
  SERVED_IN_RESPONSES,
} from '../shared/openai-models.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH, OPENAI_SPEECH_MODELS } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { OPENAI_RELAYS } from '../shared/relayed-apis.ts';
import { OPENAI_CATALOG } from '../shared/vendor-models.ts';
import { AZURE_BATCHES } from './batches.ts';
import { chatGoverns, responsesGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };

/**
 * Returns the API version. With one, it is the older API, which has the deployment in the path; without one it is `v1`, which has
 * neither.
 */
function versionOf({ settings }: UpstreamCall): string | null {
  return typeof settings.api_version === 'string' ? encodeURIComponent(settings.api_version) : null;
}

function pathOfDeployment(endpoint: string) {
  return (call: UpstreamCall): string => {
    const version = versionOf(call);
    if (version === null) return `/openai/v1/${endpoint}`;
    return `/openai/deployments/${encodeURIComponent(call.model)}/${endpoint}?api-version=${version}`;
  };
}

const chatPath = pathOfDeployment('chat/completions');
const completionsPath = pathOfDeployment('completions');

function responsesPath(call: UpstreamCall, below = ''): string {
  const version = versionOf(call);
  return version === null ? `/openai/v1/responses${below}` : `/openai/responses${below}?api-version=${version}`;
}

/**
 * Azure OpenAI (learn.microsoft.com, "Azure OpenAI in Microsoft Foundry Models v1 API"). An upstream model's id is the name
 * of a deployment. The address is the resource's, without a path: from the setting, or the channel's own base address.
 */
export const azureOpenai: ProviderManifest = {
  name: 'azure-openai',
  label: 'Azure OpenAI',
  baseUrl: null,
  hasDeployments: true,
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  keyRequired: true,
  settingVariables: { resource: ['AZURE_RESOURCE_NAME'] },
  formats: [
    {
      ...OPENAI_RESPONSES,
      stores: true,
      path: (call) => responsesPath(call),
      compact: (call) => responsesPath(call, '/compact'),
      models: SERVED_IN_RESPONSES,
      quirks: OPENAI_RESPONSES_MODELS,
      governs: responsesGoverns,
    },
    { ...OPENAI_CHAT, path: chatPath, models: SERVED_IN_CHAT, quirks: OPENAI_CHAT_MODELS, governs: chatGoverns },
    { ...OPENAI_COMPLETIONS, path: completionsPath, models: SERVED_IN_COMPLETIONS },
  ],
  wires: [
    { ...EMBEDDINGS_OF_OPENAI, members: WITHOUT_INPUT_TYPE, path: pathOfDeployment('embeddings') },
    { ...OPENAI_SPEECH, speech: OPENAI_SPEECH_MODELS, path: pathOfDeployment('audio/speech') },
    { ...OPENAI_IMAGES, members: KNOWN_TO_OPENAI, path: pathOfDeployment('images/generations') },
    { ...OPENAI_IMAGE_EDITS, members: KNOWN_TO_OPENAI, path: pathOfDeployment('images/edits') },
    { ...OPENAI_TRANSCRIPTIONS, path: pathOfDeployment('audio/transcriptions') },
    { ...OPENAI_TRANSLATIONS, path: pathOfDeployment('audio/translations') },
  ],
  settings: z.strictObject({
    resource: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/i, 'must be the name of an Azure resource')
      .optional()
      .meta({
        title: 'Resource',
        description: 'The `<resource>` in `https://<resource>.openai.azure.com`. Not needed with a base URL.',
      }),
    api_version: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}(?:-preview)?$/, 'must be a dated API version such as 2024-10-21')
      .optional()
      .meta({
        title: 'API version',
        description: 'A dated version such as `2024-10-21`, for the older per-deployment URLs.',
      }),
    batch_suffix: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must have letters, digits, `-`, `_` and `.` only')
      .optional()
      .meta({
        title: 'Suffix of batch deployments',
        description: 'Added to the name of a deployment for relayed lines of batches, such as `-batch`.',
      }),
  }),
  baseUrlOf: ({ resource }) => (typeof resource === 'string' ? `https://${resource}.openai.azure.com` : null),
  authorize: ({ apiKey }) => keyHeader('api-key', apiKey),
  relays: OPENAI_RELAYS.filter((api) => api !== 'conversations'),
  relayPath: '/openai/v1',
  batches: AZURE_BATCHES,
  models: catalogOf('azure-openai', yaml, OPENAI_CATALOG),
};
