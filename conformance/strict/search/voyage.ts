import { asArray } from '../../shared/json.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { inputsIn, mostTexts, mostTokens, noOtherMembers, onlyValues, type TextsIn } from '../shared/search-rules.ts';

const PAGE = { url: 'https://docs.voyageai.com/reference/embeddings-api', checked: '2026-11-28' };
const RERANK = { url: 'https://docs.voyageai.com/docs/reranker', checked: '2026-11-29' };
const INPUT = inputsIn('input');
const DOCUMENTS: TextsIn = { of: ({ documents }) => asArray(documents), as: (documents) => ({ documents }) };

const FAMILIES: readonly (readonly [string, number, NonNullable<Rule['family']>])[] = [
  ['lite', 1_000_000, { label: 'The lite models', models: /-lite$/ }],
  ['middle', 320_000, { label: 'voyage-4, voyage-3.5, voyage-2', models: /^voyage-(?:4|3\.5|2)$/ }],
  ['large', 120_000, { label: 'The large and special models', models: /-large$|-(?:code|finance|law)-/ }],
];

const envelope = (detail: string) => ({ detail });
const unknown = (name: string) => `Argument '${name}' is not supported by our API`;

export const voyageEmbeddings: StrictUpstream = {
  name: 'voyage-embeddings',
  label: 'Voyage, embeddings',
  provider: 'voyage',
  wire: 'voyage-embeddings',
  models: ['voyage-4', 'voyage-4-lite', 'voyage-4-large', 'voyage-code-3'],
  basic: { path: '/embeddings', body: { input: 'Hi' } },
  rules: [
    noOtherMembers(
      ['model', 'input', 'input_type', 'truncation', 'output_dimension', 'output_dtype', 'encoding_format'],
      { source: PAGE, message: unknown },
      [{ body: { user: 'u' } }, { body: { dimensions: 64 } }],
    ),
    onlyValues(
      'encoding_format',
      ['base64'],
      PAGE,
      "Value 'float' supplied for argument 'encoding_format' is not valid",
    ),
    onlyValues('input_type', ['query', 'document'], PAGE, "The value of argument 'input_type' is not valid"),
    mostTexts({
      ...{ id: 'inputs', texts: INPUT, most: 1_000, source: PAGE },
      message: (count) => `The batch size limit is 1000. Your batch size is ${count}.`,
    }),
    ...FAMILIES.map(([name, most, family]) =>
      mostTokens({
        ...{ id: `tokens-${name}`, texts: INPUT, most, source: PAGE, family },
        message: (count) =>
          `The max allowed tokens per submitted batch is ${most}. Your batch has ${count} tokens after truncation.`,
      }),
    ),
  ],
  envelope,
};

export const voyageRerank: StrictUpstream = {
  name: 'voyage-rerank',
  label: 'Voyage, rerank',
  provider: 'voyage',
  wire: 'voyage-rerank',
  models: ['rerank-2.5', 'rerank-2.5-lite'],
  basic: { path: '/rerank', body: { query: 'Hi', documents: ['Hi'] } },
  rules: [
    noOtherMembers(
      ['model', 'query', 'documents', 'top_k', 'return_documents', 'truncation'],
      { source: RERANK, message: unknown },
      [{ body: { top_n: 1 } }],
    ),
    mostTexts({
      ...{ id: 'documents', texts: DOCUMENTS, most: 1_000, source: RERANK },
      message: (count) => `The number of documents cannot exceed 1000. Your request has ${count}.`,
    }),
  ],
  envelope,
};
