import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { type AnswerShape, decodeItems, reportedTokens } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { signedBytesIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/**
 * Perplexity's `POST /v1/embeddings` (docs.perplexity.ai, "Create Embeddings"): an answer like OpenAI's, with vectors of signed
 * bytes.
 */
export const perplexityEmbeddings: EmbeddingWire = {
  name: 'perplexity-embeddings',
  operations: ['embeddings'],
  // "Maximum 512 texts per request."
  boundsOf: () => ({ mostInputs: 512 }),
  encodeRequest(request, { upstreamModel }) {
    const read = readTexts(request, RULES);
    if (read instanceof Failure) return read;
    const { texts: input, dimensions } = read;
    return encodedBody({ model: upstreamModel, input, dimensions, encoding_format: 'base64_int8' }, read);
  },
  /**
   * Decodes each byte as a number from -128 to 127, as Perplexity documents it and its SDKs do. The vectors do not have unit length
   * and are compared by cosine similarity.
   */
  decodeAnswer: (bytes, request) => decodeItems(bytes, request, SHAPE),
  decodeFailure,
};

/** The models need no instruction, so there is no input type. */
const RULES: RequestRules = { inputTypes: {}, hasDimensions: true, own: [] };

const SHAPE: AnswerShape = {
  vectorOf: ({ embedding }) => signedBytesIn(embedding),
  tokensOf: ({ usage }) => reportedTokens(usage),
};
