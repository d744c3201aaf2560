import { asArray, asObject } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { inputsIn, onlyValues, textsOnly } from '../shared/search-rules.ts';

const DOCUMENT = { url: 'specs/jina.openapi.json', checked: '2026-11-28' };

/** FastAPI's envelope, as documented. */
const envelope = (msg: string) => ({ detail: [{ type: 'value_error', loc: ['body'], msg }] });

function mostDimensions(id: string, most: number, models: RegExp, label: string): Rule {
  return {
    ...{ id, source: DOCUMENT, status: 422, family: { label, models } },
    statement: `\`dimensions\` must be at most ${most}.`,
    refuses: ({ body }) =>
      Number(asObject(body).dimensions ?? 0) > most ? `Input should be less than or equal to ${most}` : null,
    examples: { refused: [{ body: { dimensions: most + 1 } }], accepted: [{ body: { dimensions: most } }] },
  };
}

export const jinaEmbeddings: StrictUpstream = {
  name: 'jina-embeddings',
  label: 'Jina, embeddings',
  provider: 'jina',
  wire: 'jina-embeddings',
  models: ['jina-embeddings-v5-text-small', 'jina-embeddings-v4', 'jina-embeddings-v3'],
  basic: { path: '/embeddings', body: { input: 'Hi' } },
  rules: [
    {
      ...onlyValues(
        'embedding_type',
        ['float', 'base64', 'binary', 'ubinary'],
        DOCUMENT,
        "Input should be 'float', 'base64', 'binary' or 'ubinary'",
      ),
      status: 422,
    },
    { ...textsOnly('token-ids', inputsIn('input'), DOCUMENT, 'Input should be a valid string'), status: 422 },
    mostDimensions('dimensions-v5', 1_024, /^jina-embeddings-v5/, 'The fifth generation'),
    mostDimensions('dimensions-v4', 2_048, /^jina-embeddings-v4/, 'The fourth generation'),
  ],
  envelope,
};

export const jinaRerank: StrictUpstream = {
  name: 'jina-rerank',
  label: 'Jina, rerank',
  provider: 'jina',
  wire: 'jina-rerank',
  models: ['jina-reranker-v3', 'jina-reranker-v2-base-multilingual'],
  basic: { path: '/rerank', body: { query: 'Hi', documents: ['Hi'] } },
  rules: [
    {
      id: 'documents',
      statement: '`documents` must be a list of texts, or of objects with a text or an image.',
      source: DOCUMENT,
      status: 422,
      refuses: ({ body }) => {
        const documents = asArray(asObject(body).documents);
        const areTexts = documents.every((one) => typeof one === 'string' || typeof asObject(one).text === 'string');
        return documents.length > 0 && areTexts ? null : 'Input should be a valid list';
      },
      examples: { refused: [{ body: { documents: [] } }, { body: { documents: [7] } }] },
    },
  ],
  envelope,
};
