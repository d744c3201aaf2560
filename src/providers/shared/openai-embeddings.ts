import type { OwnMembers } from '../../formats/wire.ts';
import type { ProviderWire } from '../manifest.ts';

/** `POST /embeddings` as OpenAI has it (its published document, `CreateEmbeddingRequest`). */
export const OPENAI_EMBEDDINGS: ProviderWire = { wire: 'openai-embeddings', path: '/embeddings' };

/** Of providers that refuse members that they do not know, such as what a text is embedded for. */
export const WITHOUT_INPUT_TYPE: OwnMembers = { input_type: null };
