import {
  bestOf,
  documentOf,
  type RerankAnswer,
  type RerankRequest,
  searchUnitsOf,
} from '../../../domain/rerank/rerank.ts';
import type { RerankPatch } from '../shared/rerank-body.ts';

/** Returns the answer for a client of Cohere's API (docs.cohere.com, "Rerank API (v2)"), with the gateway's own members added. */
export function encodeAnswer(
  answer: RerankAnswer,
  request: Pick<RerankRequest, 'documents' | 'hasObjects' | 'topN' | 'returnsDocuments'>,
  { publicModel, routing, tokens }: RerankPatch,
): string {
  const results = bestOf(answer, request.topN).map((index) => ({
    index,
    relevance_score: answer.scores[index],
    ...(request.returnsDocuments && { document: documentOf({ ...request, hasObjects: true }, index) }),
  }));
  const meta = {
    api_version: { version: '2' },
    billed_units: { search_units: answer.searchUnits ?? searchUnitsOf(request.documents.length) },
    tokens: { input_tokens: tokens },
  };
  const written = JSON.stringify({ results, meta, model: publicModel });
  return `${written.slice(0, -1)},"_routing":${routing.json}}`;
}
