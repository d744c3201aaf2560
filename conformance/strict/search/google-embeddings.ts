import { asArray, asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { mostTexts, mostTokens, type TextsIn } from '../shared/search-rules.ts';

const PAGE = {
  url: 'https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings',
  checked: '2026-11-28',
};
const DOCUMENT = { url: 'https://ai.google.dev/api/embeddings', checked: '2026-11-28' };

const INSTANCES: TextsIn = {
  of: ({ instances }) => asArray(instances).map((one) => asObject(one).content),
  as: (texts) => ({ instances: texts.map((content) => ({ content })) }),
};
const REQUESTS: TextsIn = {
  of: ({ requests }) => asArray(requests),
  as: (texts) => ({ requests: texts.map((text) => ({ model: 'models/x', content: { parts: [{ text }] } })) }),
};
const GEMINI: NonNullable<Rule['family']> = { label: 'Gemini Embedding', models: /^gemini-embedding/ };
const OLDER: NonNullable<Rule['family']> = { label: 'The older models', models: /^text-/ };

function envelope(message: string): object {
  return { error: { code: 400, message, status: 'INVALID_ARGUMENT' } };
}

export const vertexEmbeddings: StrictUpstream = {
  name: 'vertex-embeddings',
  label: 'Vertex AI, embeddings',
  provider: 'vertex',
  wire: 'vertex-embeddings',
  models: ['text-embedding-005', 'text-multilingual-embedding-002', 'gemini-embedding-001'],
  basic: {
    path: '/publishers/google/models/{model}:predict',
    body: { model: undefined, instances: [{ content: 'Hi' }] },
  },
  rules: [
    mostTexts({
      ...{ id: 'instances', texts: INSTANCES, most: 250, source: PAGE, family: OLDER },
      message: (count) => `${count} instance(s) is more than the 250 that are allowed per prediction.`,
    }),
    mostTexts({
      ...{ id: 'instances-of-gemini', texts: INSTANCES, most: 1, source: PAGE, family: GEMINI },
      message: (count) => `${count} instance(s) is more than the 1 that is allowed per prediction.`,
    }),
    mostTokens({
      ...{ id: 'tokens', texts: INSTANCES, most: 20_000, source: PAGE, family: OLDER },
      message: (count) =>
        `Unable to submit request because the input token count is ${count} but the model supports up to 20000.`,
    }),
  ],
  envelope,
};

export const geminiEmbeddings: StrictUpstream = {
  name: 'gemini-embeddings',
  label: 'Gemini, embeddings',
  provider: 'google',
  wire: 'gemini-embeddings',
  models: ['gemini-embedding-001', 'gemini-embedding-2'],
  basic: {
    path: '/models/{model}:batchEmbedContents',
    body: { model: undefined, requests: [{ model: 'models/x', content: { parts: [{ text: 'Hi' }] } }] },
  },
  rules: [
    mostTexts({
      ...{ id: 'requests', texts: REQUESTS, most: 100, source: DOCUMENT },
      message: () => '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    }),
  ],
  envelope,
};
