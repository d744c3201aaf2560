import type { ProviderManifest, UpstreamCall } from '../manifest.ts';
import { GEMINI_GOVERNS } from '../shared/governed/gemini.ts';
import { bearer, keyHeader } from '../shared/headers.ts';
import { idsIn } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { GEMINI_CATALOG } from '../shared/vendor-models.ts';
import { chatGoverns } from './governs.ts';
import { geminiQuirks } from './quirks.ts';

/**
 * Returns the path of a model. An id may include its collection (`models/…`, `tunedModels/…`); otherwise it belongs to `models`.
 */
function pathOf(model: string, method: string): string {
  const [, collection = 'models/', id = model] = /^(models\/|tunedModels\/)(.*)$/s.exec(model) ?? [];
  return `/${collection}${encodeURIComponent(id)}:${method}`;
}

function methodOf(stream: boolean): string {
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

const namesOf = idsIn({ member: 'models', id: 'name' });

/**
 * The Gemini API of ai.google.dev; Vertex AI is a separate provider. The vendor's OpenAI-compatible endpoint is used only by
 * channels that name it: it has no `topK`, safety settings, files or token counts, so translation loses less.
 */
export const google: ProviderManifest = {
  name: 'google',
  label: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  keyRequired: true,
  keyPattern: /^AIza[\w-]{35}$/,
  formats: [
    {
      format: 'gemini',
      path: ({ model, stream }: UpstreamCall) => pathOf(model, methodOf(stream)),
      countTokens: ({ model }: UpstreamCall) => pathOf(model, 'countTokens'),
      quirks: geminiQuirks,
      governs: GEMINI_GOVERNS,
    },
    { ...OPENAI_CHAT, path: '/openai/chat/completions', optIn: true, governs: chatGoverns },
  ],
  wires: [
    { wire: 'gemini-embeddings', path: ({ model }: UpstreamCall) => pathOf(model, 'batchEmbedContents') },
    { wire: 'imagen', path: ({ model }: UpstreamCall) => pathOf(model, 'predict'), models: /^(?:models\/)?imagen-/ },
    {
      wire: 'gemini-images',
      path: ({ model }: UpstreamCall) => pathOf(model, 'generateContent'),
      models: /^(?!(?:models\/)?imagen-)/,
    },
    {
      wire: 'veo',
      path: ({ model }: UpstreamCall) => pathOf(model, 'predictLongRunning'),
      models: /^(?!(?:models\/)?gemini-)/,
      members: { generateAudio: null },
    },
    {
      wire: 'gemini-speech',
      path: ({ model, stream }: UpstreamCall) => pathOf(model, methodOf(stream)),
      governs: GEMINI_GOVERNS,
    },
    {
      wire: 'gemini-transcriptions',
      path: ({ model }: UpstreamCall) => pathOf(model, 'generateContent'),
      governs: GEMINI_GOVERNS,
    },
  ],
  authorize: ({ apiKey }, format) =>
    format !== OPENAI_CHAT.format ? keyHeader('x-goog-api-key', apiKey) : bearer(apiKey),
  relays: ['gemini-files', 'gemini-caches', 'gemini-interactions', 'gemini-batches'],
  models: GEMINI_CATALOG,
  modelList: {
    path: '/models?pageSize=1000',
    modelsIn: (json) => namesOf(json).map((name) => name.replace(/^models\//, '')),
  },
};
