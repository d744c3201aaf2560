import type { EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';

/** The models need no instruction, so there is no input type. */
const RULES: RequestRules = { inputTypes: {}, hasDimensions: true, own: [] };

export function encodeRequest(request: EmbeddingRequest, { upstreamModel }: WireTarget): EncodedBody | Failure {
  const read = readTexts(request, RULES);
  if (read instanceof Failure) return read;
  const { texts: input, dimensions } = read;
  return encodedBody({ model: upstreamModel, input, dimensions, encoding_format: 'base64_int8' }, read);
}
