import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { type AnswerShape, decodeItems, reportedTokens } from '../shared/embedding-items.ts';
import { encodedBody, type InputTypeNames, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { floatsIn, numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/** Jina's `POST /v1/embeddings` (its published document): an answer like OpenAI's, and its own request format. */
export const jinaEmbeddings: EmbeddingWire = {
  name: 'jina-embeddings',
  operations: ['embeddings'],
  // The document limits lists of inputs to 512 elsewhere (classifiers, training), but states no limit here.
  boundsOf: () => ({ mostInputs: 512 }),
  /** Encodes the request; the task for `input_type` takes precedence over the client's `task`. */
  encodeRequest(request, { upstreamModel }) {
    const read = readTexts(request, rulesOf(upstreamModel));
    if (read instanceof Failure) return read;
    const members = {
      model: upstreamModel,
      input: read.texts,
      task: read.inputType,
      dimensions: read.dimensions,
      embedding_type: 'float',
    };
    return encodedBody(members, read);
  },
  decodeAnswer: (bytes, request) => decodeItems(bytes, request, SHAPE),
  decodeFailure,
};

const RETRIEVAL: InputTypeNames = {
  query: 'retrieval.query',
  document: 'retrieval.passage',
  question_answering: 'retrieval.query',
  fact_verification: 'retrieval.query',
  similarity: 'text-matching',
};

/** Each generation has its own tasks; the second one and CLIP have none. */
const TASKS: readonly (readonly [RegExp, InputTypeNames])[] = [
  [/^jina-embeddings-v3/, { ...RETRIEVAL, classification: 'classification', clustering: 'separation' }],
  [/^jina-embeddings-v4/, { ...RETRIEVAL, code_query: 'code.query' }],
  [/^jina-embeddings-v5/, { ...RETRIEVAL, classification: 'classification', clustering: 'clustering' }],
  [
    /^jina-code-embeddings/,
    {
      query: 'nl2code.query',
      document: 'nl2code.passage',
      question_answering: 'qa.query',
      code_query: 'nl2code.query',
    },
  ],
];

function rulesOf(model: string): RequestRules {
  const [, inputTypes = {}] = TASKS.find(([pattern]) => pattern.test(model)) ?? [];
  return { inputTypes, hasDimensions: true, own: ['task', 'normalized', 'truncate', 'late_chunking'] };
}

const SHAPE: AnswerShape = {
  vectorOf: ({ embedding }) => floatsIn(embedding) ?? numbersIn(embedding),
  tokensOf: ({ usage }) => reportedTokens(usage),
};
