import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankAnswer, RerankRequest } from '../../../domain/rerank/rerank.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, unitScores } from '../shared/rerank-scores.ts';
import type { RerankWire } from '../wire.ts';

/** Cohere's rerank over Amazon Bedrock's InvokeModel. */
export const bedrockRerank: RerankWire = {
  name: 'bedrock-rerank',
  operations: ['rerank'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

/**
 * Encodes the request. Bedrock requires version 2 or later, and has the model in the path (cohere-python, issue 613; a recorded
 * request).
 */
function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents } = request;
  const members = { query, documents, api_version: 2 };
  return rerankBody(members, request, target, (name) => name === 'max_tokens_per_doc');
}

/** Decodes the results; the answer has neither usage nor model. */
function decodeAnswer(bytes: Uint8Array, request: Pick<RerankRequest, 'documents'>): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  const { results } = objectOf(value);
  if (!Array.isArray(results)) return failureOfNoResults(value);
  // Bedrock's Rerank API, which a proxy may use instead, spells the member differently.
  const isBedrocks = results.some((result) => isRecord(result) && 'relevanceScore' in result);
  const scores = scoresIn(results, request, isBedrocks ? 'relevanceScore' : 'relevance_score');
  if (scores instanceof Failure) return scores;
  return { scores: unitScores(scores), tokens: null, searchUnits: null, model: null };
}
