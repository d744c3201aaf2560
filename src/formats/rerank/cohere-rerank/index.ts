import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankAnswer, RerankRequest } from '../../../domain/rerank/rerank.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { largestCount } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, unitScores } from '../shared/rerank-scores.ts';
import type { RerankWire } from '../wire.ts';

/** Cohere's own rerank API, version 2 (docs.cohere.com, "Rerank API (v2)"). */
export const cohereRerank: RerankWire = {
  name: 'cohere-rerank',
  operations: ['rerank'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

/** Encodes the request without `top_n`, which means all documents. */
function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents } = request;
  return rerankBody({ model: target.upstreamModel, query, documents }, request, target);
}

/**
 * Decodes an answer that does not name its model, and that counts searches instead of tokens, except for models priced by tokens.
 */
function decodeAnswer(bytes: Uint8Array, request: Pick<RerankRequest, 'documents'>): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  const { results, meta } = objectOf(value);
  if (!Array.isArray(results)) return failureOfNoResults(value);
  const scores = scoresIn(results, request, 'relevance_score');
  if (scores instanceof Failure) return scores;
  const { billed_units: billed, tokens } = objectOf(meta);
  const { search_units, input_tokens, total_tokens } = objectOf(billed);
  const { input_tokens: counted } = objectOf(tokens);
  return {
    scores: unitScores(scores),
    tokens: largestCount(input_tokens) || largestCount(total_tokens) || largestCount(counted) || null,
    searchUnits: largestCount(search_units),
    model: null,
  };
}
