import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { ruleModelOf } from '../../wire.ts';
import { type AnswerShape, decodeItems, tokenCount } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/** Vertex AI's `predict` for text embeddings (Google Cloud, "Text embeddings API"). */
export const vertexEmbeddings: EmbeddingWire = {
  name: 'vertex-embeddings',
  operations: ['embeddings'],
  // "250 input texts" and "20,000 tokens" per request; `gemini-embedding-001` accepts one text.
  boundsOf: (target) => ({
    mostInputs: ruleModelOf(target).startsWith('gemini-embedding') ? 1 : 250,
    mostTokens: 20_000,
  }),
  /** Encodes the request; the URL names the model. */
  encodeRequest(request) {
    const read = readTexts(request, RULES);
    if (read instanceof Failure) return read;
    const { texts, inputType, dimensions } = read;
    const task = inputType === null ? {} : { task_type: inputType };
    const instances = texts.map((content) => ({ content, ...task }));
    const parameters = dimensions === null ? null : { outputDimensionality: dimensions };
    return encodedBody({ instances, parameters }, read);
  },
  decodeAnswer: (bytes, request) => decodeItems(bytes, request, SHAPE),
  decodeFailure,
};

const RULES: RequestRules = {
  inputTypes: {
    query: 'RETRIEVAL_QUERY',
    document: 'RETRIEVAL_DOCUMENT',
    classification: 'CLASSIFICATION',
    clustering: 'CLUSTERING',
    similarity: 'SEMANTIC_SIMILARITY',
    question_answering: 'QUESTION_ANSWERING',
    fact_verification: 'FACT_VERIFICATION',
    code_query: 'CODE_RETRIEVAL_QUERY',
  },
  hasDimensions: true,
  own: [],
};

const SHAPE: AnswerShape = {
  list: 'predictions',
  vectorOf: ({ embeddings }) => (isRecord(embeddings) ? numbersIn(embeddings.values) : null),
  tokensOf: (_values, items) => items.reduce<number | null>((sum, { value }) => plus(sum, tokensOf(value)), 0),
};

/** Returns the tokens of one text, which are counted separately. */
function tokensOf({ embeddings }: Readonly<Record<string, unknown>>): number | null {
  const statistics = isRecord(embeddings) ? embeddings.statistics : null;
  return isRecord(statistics) ? tokenCount(statistics.token_count) : null;
}

function plus(sum: number | null, tokens: number | null): number | null {
  return sum === null || tokens === null ? null : sum + tokens;
}
