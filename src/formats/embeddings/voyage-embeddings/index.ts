import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Returns the token limit, as documented: "The maximum length of the list is 1,000. The total number of tokens in the list is at
 * most 1M for voyage-4-lite and voyage-3.5-lite; 320K for voyage-4, voyage-3.5 and voyage-2"; and 120K for the others listed.
 */
function mostTokensOf(model: string): number {
  if (/-lite$/.test(model)) return 1_000_000;
  return /^voyage-(?:4|3\.5|3|2)$/.test(model) ? 320_000 : 120_000;
}

/**
 * Voyage's `POST /v1/embeddings` (docs.voyageai.com, "Text embeddings API"): an answer like OpenAI's, and its own request format.
 */
export const voyageEmbeddings: EmbeddingWire = {
  name: 'voyage-embeddings',
  operations: ['embeddings'],
  boundsOf: (target) => ({ mostInputs: 1_000, mostTokens: mostTokensOf(ruleModelOf(target)) }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
