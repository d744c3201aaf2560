import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';

/** Hugging Face's server for models of search, each of which has one model: it embeds, or it ranks. */
export const tei: ProviderManifest = {
  name: 'tei',
  label: 'Text Embeddings Inference',
  baseUrl: 'http://127.0.0.1:8080',
  keyVariables: [],
  keyRequired: false,
  formats: [],
  wires: [
    // `--max-client-batch-size`, of which 32 is the default.
    { ...OPENAI_EMBEDDINGS, path: '/v1/embeddings', embeddings: [{ mostInputs: 32 }] },
    { wire: 'tei-rerank', path: '/rerank' },
  ],
};
