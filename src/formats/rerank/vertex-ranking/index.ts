import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankAnswer, RerankRequest } from '../../../domain/rerank/rerank.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';
import { failureOfNoResults, scoresIn, unitScores } from '../shared/rerank-scores.ts';
import type { RerankWire } from '../wire.ts';

const MOST_RECORDS = 200;

/** The ranking of Google's Discovery Engine (its reference, `projects.locations.rankingConfigs.rank`). */
export const vertexRanking: RerankWire = {
  name: 'vertex-ranking',
  operations: ['rerank'],
  mostDocuments: MOST_RECORDS,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};

/** Encodes the request without `topN`, which means all records. A record's id is the index of its document. */
function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents } = request;
  const records = documents.map((content, index) => ({ id: String(index), content }));
  const members = { model: target.upstreamModel, query, records, ignoreRecordDetailsInResponse: true };
  return rerankBody(members, request, target, () => false);
}

/** Decodes the records; the answer has neither usage nor model. */
function decodeAnswer(bytes: Uint8Array, request: Pick<RerankRequest, 'documents' | 'topN'>): RerankAnswer | Failure {
  const value = parseJsonBytes(bytes);
  const { records } = objectOf(value);
  if (!Array.isArray(records)) return failureOfNoResults(value);
  const scores = scoresIn(records.map(withIndex), request, 'score');
  if (scores instanceof Failure) return scores;
  return { scores: unitScores(scores), tokens: null, searchUnits: null, model: null };
}

function withIndex(record: unknown): unknown {
  if (!isRecord(record)) return record;
  const { id, score } = record;
  return { index: typeof id === 'string' && /^\d{1,4}$/.test(id) ? Number(id) : null, score };
}
