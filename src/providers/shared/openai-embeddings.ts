import type { OwnMembers } from '../../formats/wire.ts';
import type { ProviderWire } from '../manifest.ts';

/**
 * `POST /embeddings` as OpenAI defines it (its published document, `CreateEmbeddingRequest`), for a server about which nothing
 * else is known.
 */
export const OPENAI_EMBEDDINGS: ProviderWire = { wire: 'openai-embeddings', path: '/embeddings' };

/** The same for a server that is known to return vectors in base64. */
export const EMBEDDINGS_IN_BASE64: ProviderWire = { ...OPENAI_EMBEDDINGS, embeddings: [{ hasBase64: true }] };

/** The same for OpenAI itself: "a maximum of 300,000 tokens summed across all inputs in a single request". */
export const EMBEDDINGS_OF_OPENAI: ProviderWire = {
  ...OPENAI_EMBEDDINGS,
  embeddings: [{ hasBase64: true, mostTokens: 300_000 }],
};

/** For providers that refuse unknown members, such as the purpose of an embedding. */
export const WITHOUT_INPUT_TYPE: OwnMembers = { input_type: null };
