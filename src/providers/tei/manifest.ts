import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { servedBy } from '../shared/servers/served-by.ts';
import { TEI } from '../shared/servers/tei.ts';

/** Hugging Face's server for search models, each instance of which has one model that either embeds or ranks. */
export const tei = servedBy(
  {
    name: 'tei',
    label: 'Text Embeddings Inference',
    baseUrl: 'http://127.0.0.1:8080',
    keyVariables: [],
    keyRequired: false,
    formats: [],
    wires: [
      { ...OPENAI_EMBEDDINGS, path: '/v1/embeddings' },
      { wire: 'tei-rerank', path: '/rerank' },
    ],
  },
  TEI,
);
