import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { RerankAnswer, RerankRequest } from '../../../domain/rerank/rerank.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { largestCount } from '../../shared/json/json-values.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, unitScores } from '../shared/rerank-scores.ts';
import type { RerankWire } from '../wire.ts';

/** The default of `--max-client-batch-size`. */
const MOST_TEXTS = 32;

/** The rerank of Hugging Face's Text Embeddings Inference (its OpenAPI document, `/rerank`). */
export const teiRerank: RerankWire = {
  name: 'tei-rerank',
  operations: ['rerank'],
  mostDocuments: MOST_TEXTS,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

const OWN_MEMBERS: ReadonlySet<string> = new Set(['truncate', 'truncation_direction']);

/**
 * Encodes for a server with a single model, which accepts no model name. `raw_scores: false` requests the sigmoids of the logits.
 */
function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents: texts } = request;
  return rerankBody({ query, texts, raw_scores: false }, request, target, (name) => OWN_MEMBERS.has(name));
}

/** Decodes the list of results. The tokens are in a header, and the model is not stated. */
function decodeAnswer(
  bytes: Uint8Array,
  request: Pick<RerankRequest, 'documents'>,
  _target: WireTarget,
  headers: AnswerHeaders,
): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  if (!Array.isArray(value)) return failureOfNoResults(value);
  const scores = scoresIn(value, request, 'score');
  if (scores instanceof Failure) return scores;
  const tokens = Number(headers.get('x-compute-tokens'));
  return { scores: unitScores(scores), tokens: largestCount(tokens) || null, searchUnits: null, model: null };
}
