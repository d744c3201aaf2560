import type { ServerFamily } from './server-family.ts';
import { objectAt } from './signs.ts';

export const TEI: ServerFamily = {
  name: 'tei',
  label: 'Text Embeddings Inference',
  quirks: {},
  // The default of `--max-client-batch-size`.
  wires: { 'openai-embeddings': { embeddings: [{ mostInputs: 32 }] } },
  signs: [objectAt('/info', 'model_id', 'model_type', 'max_client_batch_size')],
};
