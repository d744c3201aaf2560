import type { EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { bodyNotJson, garbage } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { Turns } from '../../shared/json/large-json.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { noVectors, tokenCount } from '../shared/embedding-items.ts';
import { encodedBody, type RequestRules, readTexts } from '../shared/embedding-request.ts';
import { numbersIn } from '../shared/vector-text.ts';
import type { EmbeddingWire } from '../wire.ts';

/** Cohere's `POST /v2/embed` (docs.cohere.com, "Embed API (v2)"). */
export const cohereEmbed: EmbeddingWire = {
  name: 'cohere-embed',
  operations: ['embeddings'],
  // "Maximum number of texts per call is 96."
  boundsOf: () => ({ mostInputs: 96 }),
  /**
   * Always requests floats: their lists are exact, and the gateway writes either encoding. Bedrock has the model in the URL and
   * refuses it in the body.
   */
  encodeRequest(request, { upstreamModel, members: { model } = {} }) {
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
  },
  /**
   * Decodes vectors by type (`embeddings.float`), and the bare list of older versions. 96 vectors have at most two or three
   * megabytes, which are parsed at once.
   */
  async decodeAnswer(bytes, _request, headers) {
    const answer = parseJson(new TextDecoder().decode(bytes));
    if (!isRecord(answer)) return bodyNotJson();
    const { embeddings } = answer;
    const list = isRecord(embeddings) ? embeddings.float : embeddings;
    if (!Array.isArray(list)) return noVectors(answer);
    const turns = new Turns();
    const vectors: EmbeddingVector[] = [];
    for (const item of list) {
      const vector = numbersIn(item);
      if (vector === null) return garbage('The upstream returned an invalid vector.');
      vectors.push(vector);
      if (turns.isOver) await turns.next();
    }
    return { vectors, tokens: billedTokens(answer.meta) ?? bedrockTokens(headers), model: null };
  },
  decodeFailure,
};

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

/** Returns the billed tokens; `meta.tokens`, if present, also counts the tokenizer's special tokens. */
function billedTokens(meta: unknown): number | null {
  const billed = objectOf(objectOf(meta).billed_units);
  return tokenCount(billed.input_tokens);
}

function bedrockTokens(headers: AnswerHeaders): number | null {
  return tokenCount(Number(headers.get('x-amzn-bedrock-input-token-count')));
}
