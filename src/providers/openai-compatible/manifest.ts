import { z } from 'zod';
import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import {
  ANY_IMAGE_SERVER_GOVERNS,
  ANY_SERVER_GOVERNS,
  ANY_SPEECH_SERVER_GOVERNS,
} from '../shared/governed/gateways.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_IMAGE_EDITS, OPENAI_IMAGES } from '../shared/openai-images.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { FREEFORM_OF_ANYBODY } from '../shared/quirks.ts';
import { SERVER_FAMILIES } from '../shared/servers/index.ts';
import { OTHER_SERVER } from '../shared/servers/server-family.ts';
import { chatQuirks } from './quirks.ts';

const SERVER_NAMES = [...SERVER_FAMILIES.map(({ name }) => name), OTHER_SERVER];

/**
 * Any other server. Only its operator knows whether it has more than chat completions, and lists it in the channel's `formats`.
 */
export const openaiCompatible: ProviderManifest = {
  name: 'openai-compatible',
  label: 'OpenAI-compatible',
  baseUrl: null,
  keyVariables: [],
  keyRequired: false,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: ANY_SERVER_GOVERNS },
    { ...OPENAI_RESPONSES, quirks: FREEFORM_OF_ANYBODY, governs: ANY_SERVER_GOVERNS, optIn: true },
    { ...ANTHROPIC_MESSAGES, governs: ANY_SERVER_GOVERNS, optIn: true },
    { ...OPENAI_COMPLETIONS, governs: ANY_SERVER_GOVERNS, optIn: true },
  ],
  wires: [
    { ...OPENAI_EMBEDDINGS, governs: ANY_SERVER_GOVERNS },
    { ...JINA_RERANK, governs: ANY_SERVER_GOVERNS },
    { ...OPENAI_SPEECH, governs: ANY_SPEECH_SERVER_GOVERNS },
    { ...OPENAI_IMAGES, governs: ANY_IMAGE_SERVER_GOVERNS },
    { ...OPENAI_IMAGE_EDITS, governs: ANY_IMAGE_SERVER_GOVERNS },
    { ...OPENAI_TRANSCRIPTIONS, governs: ANY_SERVER_GOVERNS },
    { ...OPENAI_TRANSLATIONS, governs: ANY_SERVER_GOVERNS },
    { wire: 'openai-videos', path: '/videos' },
  ],
  settings: z.strictObject({
    server: z.enum(SERVER_NAMES).optional().meta({
      title: 'Server',
      description: 'The server behind the base URL; requests follow its rules. Detected if left blank.',
    }),
  }),
  servers: SERVER_FAMILIES,
  modelList: OPENAI_MODELS,
};
