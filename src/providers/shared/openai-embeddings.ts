import type { OwnMembers } from '../../formats/wire.ts';
import type { ProviderWire } from '../manifest.ts';

/** `POST /embeddings` as OpenAI has it (its published document, `CreateEmbeddingRequest`), at a server of which nothing else is known. */
export const OPENAI_EMBEDDINGS: ProviderWire = { wire: 'openai-embeddings', path: '/embeddings' };

/** The same of a server that is known to give vectors in base64. */
export const EMBEDDINGS_IN_BASE64: ProviderWire = { ...OPENAI_EMBEDDINGS, embeddings: [{ hasBase64: true }] };

/** The same at OpenAI itself: "a maximum of 300,000 tokens summed across all inputs in a single request". */
export const EMBEDDINGS_OF_OPENAI: ProviderWire = {
  ...OPENAI_EMBEDDINGS,
  embeddings: [{ hasBase64: true, mostTokens: 300_000 }],
};

/** Of providers that refuse members that they do not know, such as what a text is embedded for. */
export const WITHOUT_INPUT_TYPE: OwnMembers = { input_type: null };
