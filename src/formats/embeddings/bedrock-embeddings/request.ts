import type { EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';

/** The first generation has a fixed vector length. */
const HAS_DIMENSIONS = /titan-embed-(?!(?:text-v1|g1-text))/;
const IS_MULTIMODAL = /titan-embed-image/;

/** Encodes the request; the URL names the model. */
export function encodeRequest(request: EmbeddingRequest, { upstreamModel }: WireTarget): EncodedBody | Failure {
  const rules: RequestRules = { inputTypes: {}, hasDimensions: HAS_DIMENSIONS.test(upstreamModel), own: ['normalize'] };
  const read = readTexts(request, rules);
  if (read instanceof Failure) return read;
  const [inputText = ''] = read.texts;
  const { dimensions } = read;
  if (dimensions === null) return encodedBody({ inputText }, read);
  const length = IS_MULTIMODAL.test(upstreamModel)
    ? { embeddingConfig: { outputEmbeddingLength: dimensions } }
    : { dimensions };
  return encodedBody({ inputText, ...length }, read);
}
