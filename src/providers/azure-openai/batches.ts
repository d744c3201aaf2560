import type { FileBatchRules } from '../shared/batch-rules.ts';
import { OPENAI_BATCHES } from '../shared/batches.ts';

/**
 * Azure's batches (learn.microsoft.com, "Getting started with Azure OpenAI batch deployments", for the API `v1`). A line names a deployment
 * of the type Global Batch or Data Zone Batch, which answers no other requests. A file may have to be processed first.
 */
export const AZURE_BATCHES: FileBatchRules = {
  ...OPENAI_BATCHES,
  wires: ['openai-chat', 'openai-responses', 'openai-embeddings'],
  processesFiles: true,
  modelOf: (model, { batch_suffix: suffix }) => (typeof suffix === 'string' ? model + suffix : model),
};
