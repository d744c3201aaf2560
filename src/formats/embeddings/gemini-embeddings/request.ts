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

/** The second generation takes its task as part of the text, which the client writes (ai.google.dev, "Embeddings"). */
const WITHOUT_TASKS: RequestRules = { ...RULES, inputTypes: {} };

/** Returns the resource name; an id may include its collection. */
function resourceOf(model: string): string {
  return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

export function encodeRequest(request: EmbeddingRequest, { upstreamModel }: WireTarget): EncodedBody | Failure {
  const read = readTexts(request, /gemini-embedding-2/.test(upstreamModel) ? WITHOUT_TASKS : RULES);
  if (read instanceof Failure) return read;
  const { texts, inputType, dimensions } = read;
  const common = {
    ...(inputType === null ? {} : { taskType: inputType }),
    ...(dimensions === null ? {} : { outputDimensionality: dimensions }),
  };
  const model = resourceOf(upstreamModel);
  const requests = texts.map((text) => ({ model, content: { parts: [{ text }] }, ...common }));
  return encodedBody({ requests }, read);
}
