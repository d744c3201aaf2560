import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { type AnswerShape, decodeItems, tokenCount } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/** Gemini's `batchEmbedContents` (its published document), used even for a single text, so that there is one shape. */
export const geminiEmbeddings: EmbeddingWire = {
  name: 'gemini-embeddings',
  operations: ['embeddings'],
  // The API refuses more: "at most 100 requests can be in one batch".
  boundsOf: () => ({ mostInputs: 100 }),
  encodeRequest(request, { upstreamModel }) {
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

/** The second generation takes its task as part of the text, which the client writes (ai.google.dev, "Embeddings"). */
const WITHOUT_TASKS: RequestRules = { ...RULES, inputTypes: {} };

/** Returns the resource name; an id may include its collection. */
function resourceOf(model: string): string {
  return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

/** The published document has no usage; the counts of newer models are read. */
const SHAPE: AnswerShape = {
  list: 'embeddings',
  // `embedContent` answers one text without a list, and a proxy may offer nothing else.
  only: 'embedding',
  vectorOf: ({ values }) => numbersIn(values),
  tokensOf: ({ usageMetadata }) => (isRecord(usageMetadata) ? tokenCount(usageMetadata.promptTokenCount) : null),
};
