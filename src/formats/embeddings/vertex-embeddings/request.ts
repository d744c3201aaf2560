import type { EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';

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

/** Encodes the request; the URL names the model. */
export function encodeRequest(request: EmbeddingRequest, _target: WireTarget): EncodedBody | Failure {
  const read = readTexts(request, RULES);
  if (read instanceof Failure) return read;
  const { texts, inputType, dimensions } = read;
  const task = inputType === null ? {} : { task_type: inputType };
  const instances = texts.map((content) => ({ content, ...task }));
  const parameters = dimensions === null ? null : { outputDimensionality: dimensions };
  return encodedBody({ instances, parameters }, read);
}
