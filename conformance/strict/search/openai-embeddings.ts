import { asObject } from '../../shared/json.ts';
import type { StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { inputsIn, mostTexts, mostTokens, noOtherMembers } from '../shared/search-rules.ts';

const DOCUMENT = { url: 'specs/openai.openapi.json', checked: '2026-11-28' };
const INPUT = inputsIn('input');

export const openaiEmbeddings: StrictUpstream = {
  name: 'openai-embeddings',
  label: 'OpenAI, embeddings',
  provider: 'openai',
  wire: 'openai-embeddings',
  models: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
  rules: [
    noOtherMembers(
      ['model', 'input', 'encoding_format', 'dimensions', 'user'],
      { source: DOCUMENT, message: (name) => `Unrecognized request argument supplied: ${name}` },
      [{ body: { input_type: 'query' } }, { body: { cache_control: { type: 'no_store' } } }],
    ),
    mostTexts({
      ...{ id: 'inputs', texts: INPUT, most: 2_048, source: DOCUMENT },
      message: (count) =>
        `Invalid 'input': array too long. Expected an array with maximum length 2048, but got ${count}.`,
    }),
    mostTokens({
      ...{ id: 'tokens', texts: INPUT, most: 300_000, source: DOCUMENT },
      message: (count) => `Invalid 'input': maximum request size is 300000 tokens per request, but got ${count}.`,
    }),
    {
      id: 'dimensions',
      statement: 'Only the third generation accepts `dimensions`.',
      family: { label: 'The second generation', models: /^text-embedding-ada-/ },
      source: DOCUMENT,
      refuses: ({ body }) =>
        asObject(body).dimensions === undefined ? null : 'This model does not support specifying dimensions.',
      examples: { refused: [{ body: { dimensions: 64 } }] },
    },
  ],
  envelope: openaiEnvelope,
};
