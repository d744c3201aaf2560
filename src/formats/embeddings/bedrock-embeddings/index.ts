import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNotJson, garbage } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { noVectors, tokenCount } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/**
 * Amazon Titan's embeddings over Bedrock's `InvokeModel` (Bedrock user guide, "Amazon Titan Embeddings"): one text per request.
 */
export const bedrockEmbeddings: EmbeddingWire = {
  name: 'bedrock-embeddings',
  operations: ['embeddings'],
  // `inputText` holds one text.
  boundsOf: () => ({ mostInputs: 1 }),
  /** Encodes the request; the URL names the model. */
  encodeRequest(request, { upstreamModel }) {
    const rules: RequestRules = {
      inputTypes: {},
      hasDimensions: HAS_DIMENSIONS.test(upstreamModel),
      own: ['normalize'],
    };
    const read = readTexts(request, rules);
    if (read instanceof Failure) return read;
    const [inputText = ''] = read.texts;
    const { dimensions } = read;
    if (dimensions === null) return encodedBody({ inputText }, read);
    const length = IS_MULTIMODAL.test(upstreamModel)
      ? { embeddingConfig: { outputEmbeddingLength: dimensions } }
      : { dimensions };
    return encodedBody({ inputText, ...length }, read);
  },
  async decodeAnswer(bytes) {
    const answer = parseJson(new TextDecoder().decode(bytes));
    if (!isRecord(answer)) return bodyNotJson();
    const { embeddings, inputTextTokenCount } = answer;
    // A list of vectors is Cohere's answer; the ARN of its profile does not reveal the model.
    const embedding = answer.embedding ?? (Array.isArray(embeddings) && embeddings.length === 1 ? embeddings[0] : null);
    if (embedding === undefined || embedding === null) return noVectors(answer);
    const vector = numbersIn(embedding);
    if (vector === null) return garbage('The upstream returned an invalid vector.');
    return { vectors: [vector], tokens: tokenCount(inputTextTokenCount), model: null };
  },
  decodeFailure,
};

/** The first generation has a fixed vector length. */
const HAS_DIMENSIONS = /titan-embed-(?!(?:text-v1|g1-text))/;
const IS_MULTIMODAL = /titan-embed-image/;
