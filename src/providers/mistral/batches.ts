import type { FileBatchRules } from '../shared/batch-rules.ts';
import { OPENAI_BATCHES } from '../shared/batches.ts';

/**
 * Mistral's published document (`BatchJobIn`, `BatchJobOut`): jobs with a list of input files and one model, whose statuses are in upper
 * case. A line has neither a method nor a path.
 */
export const MISTRAL_BATCHES: FileBatchRules = {
  ...OPENAI_BATCHES,
  wires: ['openai-chat', 'openai-embeddings', 'openai-moderations'],
  line: 'body',
  api: 'batch-jobs',
  creationOf: ({ id, fileId, endpoint, model }) => ({
    input_files: [fileId],
    endpoint,
    model,
    metadata: { relay: id },
  }),
  list: 'pages',
  members: { input: 'input_files', results: ['output_file', 'error_file'] },
  ended: ['success', 'failed', 'timeout_exceeded', 'cancelled'],
};
