import { asArray, asObject } from '../../shared/json.ts';
import type { StrictUpstream } from '../rule.ts';
import { mostTexts, noOtherMembers, type TextsIn } from '../shared/search-rules.ts';

const EMBED = { url: 'https://docs.cohere.com/reference/embed', checked: '2026-11-28' };
const RERANK = { url: 'https://docs.cohere.com/reference/rerank', checked: '2026-11-28' };
const TEXTS: TextsIn = { of: ({ texts }) => asArray(texts), as: (texts) => ({ texts }) };

const envelope = (message: string) => ({ id: '00000000-0000-0000-0000-000000000000', message });

export const cohereEmbed: StrictUpstream = {
  name: 'cohere-embed',
  label: 'Cohere, embed',
  provider: 'cohere',
  wire: 'cohere-embed',
  models: ['embed-v4.0', 'embed-multilingual-v3.0'],
  basic: { path: '/v2/embed', body: { texts: ['Hi'], input_type: 'search_document', embedding_types: ['float'] } },
  rules: [
    {
      id: 'input-type',
      statement: '`input_type` is required.',
      source: EMBED,
      refuses: ({ body }) =>
        /^(?:search_document|search_query|classification|clustering|image)$/.test(String(asObject(body).input_type))
          ? null
          : 'invalid request: valid input_type must be provided with the provided model',
      examples: { refused: [{ body: { input_type: undefined } }, { body: { input_type: 'query' } }] },
    },
    mostTexts({
      ...{ id: 'texts', texts: TEXTS, most: 96, source: EMBED },
      message: (count) => `invalid request: total number of texts must be at most 96 - received ${count}`,
    }),
  ],
  envelope,
};

export const cohereRerank: StrictUpstream = {
  name: 'cohere-rerank',
  label: 'Cohere, rerank',
  provider: 'cohere',
  wire: 'cohere-rerank',
  models: ['rerank-v3.5', 'rerank-v4.0-pro'],
  basic: { path: '/v2/rerank', body: { query: 'Hi', documents: ['Hi'] } },
  rules: [
    noOtherMembers(
      ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'],
      { source: RERANK, message: (name) => `invalid request: unknown field: parameter '${name}' is not a valid field` },
      [{ body: { return_documents: false } }],
    ),
  ],
  envelope,
};
