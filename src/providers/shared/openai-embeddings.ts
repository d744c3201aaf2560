import type { ProviderWire } from '../manifest.ts';

/** `POST /embeddings` as OpenAI has it (its published document, `CreateEmbeddingRequest`). */
export const OPENAI_EMBEDDINGS: ProviderWire = { wire: 'openai-embeddings', path: '/embeddings' };
