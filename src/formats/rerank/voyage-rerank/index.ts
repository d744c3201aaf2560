import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankAnswer, RerankRequest } from '../../../domain/rerank/rerank.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { largestCount, textOrNull } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, unitScores } from '../shared/rerank-scores.ts';
import type { RerankWire } from '../wire.ts';

/** Voyage AI's rerank (docs.voyageai.com, "Rerankers"). */
export const voyageRerank: RerankWire = {
  name: 'voyage-rerank',
  operations: ['rerank'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

/** Encodes the request with only the documented members, because the server refuses any other. */
function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents } = request;
  const members = { model: target.upstreamModel, query, documents };
  return rerankBody(members, request, target, (name) => name === 'truncation');
}

function decodeAnswer(bytes: Uint8Array, request: Pick<RerankRequest, 'documents'>): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  const { data, usage, model } = objectOf(value);
  if (!Array.isArray(data)) return failureOfNoResults(value);
  const scores = scoresIn(data, request, 'relevance_score');
  if (scores instanceof Failure) return scores;
  const { total_tokens } = objectOf(usage);
  return {
    scores: unitScores(scores),
    tokens: largestCount(total_tokens) || null,
    searchUnits: null,
    model: textOrNull(model),
  };
}
