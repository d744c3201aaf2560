import { Failure } from '../../../domain/failure/failure.ts';
import { bestOf, documentOf, type RerankAnswer, type RerankRequest } from '../../../domain/rerank/rerank.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { largestCount, textOrNull } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import type { WireTarget } from '../../wire.ts';
import type { RerankPatch } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, scoresOfCosines, unitScores } from '../shared/rerank-scores.ts';

/** Scores of this model are cosines (the model's card at Hugging Face, `modeling.py`), where all others' are probabilities. */
const GIVES_COSINES = /^jina-reranker-v3/;

/**
 * Decodes Jina's answer and those of its imitators: the results are in `results`, in `data` (Voyage), or are the whole answer
 * (Text Embeddings Inference), and their scores are in `relevance_score` or `score`.
 */
export function decodeAnswer(
  bytes: Uint8Array,
  request: Pick<RerankRequest, 'documents'>,
  { upstreamModel }: Pick<WireTarget, 'upstreamModel'>,
): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  const { results, data, usage, model } = objectOf(value);
  const items = Array.isArray(value) ? value : (results ?? data);
  if (!Array.isArray(items)) return failureOfNoResults(value);
  const scores = scoresIn(items, request, 'relevance_score', 'score');
  if (scores instanceof Failure) return scores;
  const { prompt_tokens, total_tokens, search_units } = objectOf(usage);
  return {
    scores: GIVES_COSINES.test(upstreamModel) ? scoresOfCosines(scores) : unitScores(scores),
    // Zero tokens are not a count, because some servers write zeros.
    tokens: largestCount(prompt_tokens) || largestCount(total_tokens) || null,
    searchUnits: largestCount(search_units),
    model: textOrNull(model),
  };
}

/** Returns the answer for a client (contract, Rerank result): the best `topN` results, with their documents if requested. */
export function encodeAnswer(
  answer: RerankAnswer,
  request: Pick<RerankRequest, 'documents' | 'hasObjects' | 'topN' | 'returnsDocuments'>,
  { publicModel, routing, tokens }: RerankPatch,
): string {
  const results = bestOf(answer, request.topN).map((index) => ({
    index,
    relevance_score: answer.scores[index],
    ...(request.returnsDocuments && { document: documentOf(request, index) }),
  }));
  const { searchUnits } = answer;
  const usage = {
    prompt_tokens: tokens,
    total_tokens: tokens,
    ...(searchUnits !== null && { search_units: searchUnits }),
    ...(answer.tokens === null && { estimated: true }),
  };
  const written = JSON.stringify({ object: 'list', model: publicModel, results, usage });
  return `${written.slice(0, -1)},"_routing":${routing.json}}`;
}
