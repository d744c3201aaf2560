import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { ruleModelOf } from '../../wire.ts';
import { type AnswerShape, decodeItems, reportedTokens } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { floatsIn, numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/**
 * Returns the token limit, as documented: "The maximum length of the list is 1,000. The total number of tokens in the list is at
 * most 1M for voyage-4-lite and voyage-3.5-lite; 320K for voyage-4, voyage-3.5 and voyage-2"; and 120K for the others listed.
 */
function mostTokensOf(model: string): number {
  if (/-lite$/.test(model)) return 1_000_000;
  return /^voyage-(?:4|3\.5|3|2)$/.test(model) ? 320_000 : 120_000;
}

/**
 * Voyage's `POST /v1/embeddings` (docs.voyageai.com, "Text embeddings API"): an answer like OpenAI's, and its own request format.
 */
export const voyageEmbeddings: EmbeddingWire = {
  name: 'voyage-embeddings',
  operations: ['embeddings'],
  boundsOf: (target) => ({ mostInputs: 1_000, mostTokens: mostTokensOf(ruleModelOf(target)) }),
  /** Requests vectors in base64, which has the same float32 in half as many bytes. */
  encodeRequest(request, { upstreamModel }) {
    const read = readTexts(request, RULES);
    if (read instanceof Failure) return read;
    const members = {
      model: upstreamModel,
      input: read.texts,
      input_type: read.inputType,
      output_dimension: read.dimensions,
      encoding_format: 'base64',
    };
    return encodedBody(members, read);
  },
  decodeAnswer: (bytes, request) => decodeItems(bytes, request, SHAPE),
  decodeFailure,
};

const RULES: RequestRules = {
  inputTypes: {
    query: 'query',
    document: 'document',
    question_answering: 'query',
    fact_verification: 'query',
    code_query: 'query',
  },
  hasDimensions: true,
  own: ['truncation'],
};

const SHAPE: AnswerShape = {
  vectorOf: ({ embedding }) => floatsIn(embedding) ?? numbersIn(embedding),
  tokensOf: ({ usage }) => reportedTokens(usage),
};
