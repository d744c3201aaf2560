import type { EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';

const RULES: RequestRules = {
  inputTypes: {
    query: 'search_query',
    document: 'search_document',
    classification: 'classification',
    clustering: 'clustering',
    question_answering: 'search_query',
    code_query: 'search_query',
  },
  hasDimensions: true,
  own: ['truncate', 'max_tokens'],
};

/** `input_type` is required from the third generation on; texts are documents unless the client says otherwise. */
const DEFAULT_INPUT_TYPE = 'search_document';

/**
 * Always requests floats: their lists are exact, and the gateway writes either encoding. Bedrock has the model in the URL and
 * refuses it in the body.
 */
export function encodeRequest(
  request: EmbeddingRequest,
  { upstreamModel, members: { model } = {} }: WireTarget,
): EncodedBody | Failure {
  const read = readTexts(request, RULES);
  if (read instanceof Failure) return read;
  const members = {
    model: model === null ? null : upstreamModel,
    texts: read.texts,
    input_type: read.inputType ?? DEFAULT_INPUT_TYPE,
    embedding_types: ['float'],
    output_dimension: read.dimensions,
  };
  return encodedBody(members, read);
}
