import type { EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';

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

/** Requests vectors in base64, which has the same float32 in half as many bytes. */
export function encodeRequest(request: EmbeddingRequest, { upstreamModel }: WireTarget): EncodedBody | Failure {
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
}
